using System.Reflection;

namespace LightNode;

/// <summary>Where the value of a parameter comes from.</summary>
public enum ParameterSource
{
    /// <summary>The query, and the form of a body.</summary>
    Value,

    /// <summary>The whole body.</summary>
    Body,

    /// <summary>The server: a CancellationToken that follows the request.</summary>
    Server,
}

/// <summary>A parameter of an operation.</summary>
public sealed class OperationParameter
{
    internal OperationParameter(ParameterInfo parameter, LightNodeOptions options, string operation)
    {
        Name = parameter.Name!;
        Type = parameter.ParameterType;
        HasDefault = parameter.HasDefaultValue;
        Underlying = Nullable.GetUnderlyingType(Type);
        Element = Type.IsSZArray ? Type.GetElementType() : null;
        Source = parameter.IsDefined(typeof(BodyAttribute)) ? ParameterSource.Body
            : Type == typeof(CancellationToken) ? ParameterSource.Server
            : ParameterSource.Value;
        // Reflection gives the default of an enum as a number.
        Default = HasDefault && parameter.DefaultValue is { } value && (Underlying ?? Type) is { IsEnum: true } type
            ? Enum.ToObject(type, value)
            : parameter.DefaultValue;
        if (HasDefault && Default is null && Type is { IsValueType: true } && Underlying is null)
        {
            Default = Activator.CreateInstance(Type);
        }
        IsNullable = Underlying is not null || (!Type.IsValueType && AllowsNull(parameter, options));
        if (Source == ParameterSource.Value && (Type.IsByRef || !Parsers.Has(Element ?? Underlying ?? Type)))
        {
            throw new InvalidOperationException(
                $"{operation}: parameter {Name} is {Type}; expected a string, a number, a bool, a char, a date, a time span, a Guid, an enum, "
                + "one of these that may be null, an array of them, or [Body] before it");
        }
    }

    public string Name { get; }

    public Type Type { get; }

    public ParameterSource Source { get; }

    public bool HasDefault { get; }

    /// <summary>Stands for a value that is missing, where there is a default.</summary>
    public object? Default { get; }

    public bool IsNullable { get; }

    /// <summary>Of <c>T?</c> the <c>T</c>, where that is a value type.</summary>
    public Type? Underlying { get; }

    /// <summary>Of an array that is made of values the type of these.</summary>
    public Type? Element { get; }

    /// <summary>Whether a request without it is refused.</summary>
    public bool IsRequired => Source == ParameterSource.Body
        || (Source == ParameterSource.Value && !HasDefault && !IsNullable && Element is null);

    static bool AllowsNull(ParameterInfo parameter, LightNodeOptions options) =>
        options.ParameterStringImplicitNullAsDefault
        || new NullabilityInfoContext().Create(parameter).WriteState == NullabilityState.Nullable;
}

/// <summary>What is known of an operation before a request comes.</summary>
public sealed class OperationInfo
{
    internal OperationInfo(Type contract, MethodInfo method, LightNodeOptions options)
    {
        ContractType = contract;
        Method = method;
        ContractName = contract.Name;
        OperationName = method.Name;
        Path = $"/{ContractName}/{OperationName}";
        if (method.IsGenericMethodDefinition)
        {
            throw new InvalidOperationException($"{Path}: the method is generic; expected types that are known, or [IgnoreOperation]");
        }
        Attributes = [.. contract.GetCustomAttributes(inherit: true).Cast<Attribute>(), .. method.GetCustomAttributes(inherit: true).Cast<Attribute>()];
        Parameters = method.GetParameters().Select(parameter => new OperationParameter(parameter, options, Path)).ToArray();
        ParameterNames = Parameters.Select(parameter => parameter.Name).ToArray();
        CheckParameters();
        Verbs = VerbsOf(options);
        if (!LightNode.Verbs.IsValid(Verbs))
        {
            throw new InvalidOperationException($"{Path}: its verbs are {Verbs}; expected at least one of those defined");
        }
        if (Body is not null && (Verbs & AcceptVerbs.Get) != 0)
        {
            throw new InvalidOperationException($"{Path}: it takes GET, which has no body, but parameter {Body.Name} is [Body]; give it [Post]");
        }
        Formatter = FormatterOf();
        ResultType = Unwrapped(method.ReturnType);
    }

    public Type ContractType { get; }

    public MethodInfo Method { get; }

    public string ContractName { get; }

    public string OperationName { get; }

    /// <summary><c>/{Class}/{Method}</c>.</summary>
    public string Path { get; }

    public AcceptVerbs Verbs { get; }

    public IReadOnlyList<OperationParameter> Parameters { get; }

    public IReadOnlyList<string> ParameterNames { get; }

    /// <summary>The parameter that is the body.</summary>
    public OperationParameter? Body => Parameters.FirstOrDefault(parameter => parameter.Source == ParameterSource.Body);

    /// <summary>What is written, not its task; null where nothing is.</summary>
    public Type? ResultType { get; }

    /// <summary>Those of the contract, then those of the method.</summary>
    public IReadOnlyList<Attribute> Attributes { get; }

    /// <summary>Answers whatever is asked for; null where that decides.</summary>
    public IContentFormatter? Formatter { get; }

    void CheckParameters()
    {
        if (Parameters.Count > Arguments.MostParameters)
        {
            throw new InvalidOperationException($"{Path}: {Parameters.Count} parameters; expected at most {Arguments.MostParameters}");
        }
        if (Parameters.Count(parameter => parameter.Source == ParameterSource.Body) > 1)
        {
            throw new InvalidOperationException($"{Path}: several parameters are [Body]; expected one");
        }
        if (ParameterNames.Distinct(StringComparer.OrdinalIgnoreCase).Count() < Parameters.Count)
        {
            throw new InvalidOperationException($"{Path}: two parameters differ in case alone; expected other names");
        }
    }

    AcceptVerbs VerbsOf(LightNodeOptions options)
    {
        var verbs = Attributes.OfType<VerbAttribute>().Aggregate((AcceptVerbs)0, (all, attribute) => all | attribute.Verb);
        return verbs != 0
            ? verbs
            : Attributes.OfType<OperationOptionAttribute>().LastOrDefault(option => option.AcceptVerbs is not null)?.AcceptVerbs
                ?? options.DefaultAcceptVerbs;
    }

    IContentFormatter? FormatterOf()
    {
        var type = Attributes.OfType<OperationOptionAttribute>().LastOrDefault(option => option.Formatter is not null)?.Formatter;
        if (type is null)
        {
            return null;
        }
        // A constructor whose parameters all have defaults is one without parameters, too.
        var constructor = type.GetConstructors().FirstOrDefault(one => one.GetParameters().All(parameter => parameter.HasDefaultValue));
        return constructor?.Invoke(constructor.GetParameters().Select(parameter => parameter.DefaultValue).ToArray()) as IContentFormatter
            ?? throw new InvalidOperationException($"{Path}: {type} is no IContentFormatter with a public constructor without parameters");
    }

    static Type? Unwrapped(Type type)
    {
        if (type == typeof(void) || type == typeof(Task) || type == typeof(ValueTask))
        {
            return null;
        }
        var isTask = type.IsGenericType
            && (type.GetGenericTypeDefinition() == typeof(Task<>) || type.GetGenericTypeDefinition() == typeof(ValueTask<>));
        return isTask ? type.GetGenericArguments()[0] : type;
    }
}
