namespace LightNode;

/// <summary>What a filter knows of the operation and of the request.</summary>
public sealed class OperationContext
{
    readonly OperationInfo operation;

    internal OperationContext(
        OperationInfo operation, HttpContext httpContext, IContentFormatter contentFormatter, object?[] parameters)
    {
        this.operation = operation;
        HttpContext = httpContext;
        ContentFormatter = contentFormatter;
        Parameters = parameters;
        Verb = Verbs.Of(httpContext.Request.Method);
    }

    public HttpContext HttpContext { get; }

    /// <summary>Writes the result.</summary>
    public IContentFormatter ContentFormatter { get; }

    public string ContractName => operation.ContractName;

    public string OperationName => operation.OperationName;

    public AcceptVerbs Verb { get; }

    /// <summary>What the operation is called with.</summary>
    public IReadOnlyList<object?> Parameters { get; }

    public IReadOnlyList<string> ParameterNames => operation.ParameterNames;

    public bool IsAttributeDefined<T>() where T : Attribute => operation.Attributes.Any(attribute => attribute is T);

    /// <summary>The attributes of one type: those of the contract, then those of the operation.</summary>
    public IEnumerable<T> GetAttributes<T>() where T : Attribute => operation.Attributes.OfType<T>();

    public IReadOnlyList<Attribute> GetAllAttributes() => operation.Attributes;
}
