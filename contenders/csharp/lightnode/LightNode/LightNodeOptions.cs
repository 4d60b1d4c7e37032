namespace LightNode;

/// <summary>What a server is set up with, read once at its start.</summary>
public sealed class LightNodeOptions
{
    /// <summary>JSON for GET and POST.</summary>
    public LightNodeOptions()
        : this(AcceptVerbs.Get | AcceptVerbs.Post, new JsonContentFormatter())
    {
    }

    /// <param name="defaultAcceptVerbs">What operations take that say nothing of it.</param>
    /// <param name="defaultFormatter">Answers where a request asks for nothing, or for nothing that is here.</param>
    /// <param name="formatters">Those that a request may ask for in addition, by extension or by header.</param>
    public LightNodeOptions(
        AcceptVerbs defaultAcceptVerbs, IContentFormatter defaultFormatter, params IContentFormatter[] formatters)
    {
        if (!Verbs.IsValid(defaultAcceptVerbs))
        {
            throw new ArgumentException("expected at least one of the defined verbs", nameof(defaultAcceptVerbs));
        }
        DefaultAcceptVerbs = defaultAcceptVerbs;
        Formatters = [defaultFormatter, .. formatters];
    }

    public AcceptVerbs DefaultAcceptVerbs { get; }

    /// <summary>The default formatter first.</summary>
    public IReadOnlyList<IContentFormatter> Formatters { get; }

    /// <summary>The filters around all operations.</summary>
    public FilterCollection Filters { get; } = new();

    /// <summary>The statuses (400, 404, 405, 406, 415) that leave a request to the next middleware instead of answering it.</summary>
    public IReadOnlyCollection<int> PassThroughWhenStatusCodesAre { get; set; } = [];

    /// <summary>Whether a string that is missing is null even where it may not be by its type.</summary>
    public bool ParameterStringImplicitNullAsDefault { get; set; }

    /// <summary>Whether an enum is also taken by name, and flags by names between commas; by number alone where not.</summary>
    public bool ParameterEnumAllowsFieldNameParse { get; set; }

    /// <summary>Whether an <c>Accept</c> that nothing here fits is 406; the default formatter answers where not.</summary>
    public bool RefuseUnacceptable { get; set; }

    /// <summary>Whether what is refused is told why.</summary>
    public bool IncludeRefusalDetails { get; set; } = true;

    /// <summary>What becomes of an exception that an operation or a filter throws.</summary>
    public ErrorHandlingPolicy ErrorHandlingPolicy { get; set; } = ErrorHandlingPolicy.ReturnInternalServerError;

    /// <summary>How results are written.</summary>
    public WriteOption WriteOption { get; set; } = WriteOption.Buffered;

    /// <summary>Makes the coordinator of a request; none where it is null.</summary>
    public Func<OperationCoordinator>? OperationCoordinatorFactory { get; set; }

    /// <summary>Is told what happens; nobody where it is null.</summary>
    public LightNodeLogger? Logger { get; set; }
}

/// <summary>What becomes of an exception that an operation or a filter throws.</summary>
public enum ErrorHandlingPolicy
{
    /// <summary>500, and no word of it.</summary>
    ReturnInternalServerError,

    /// <summary>500 with type, message and stack: for development only.</summary>
    ReturnInternalServerErrorIncludeErrorDetails,

    /// <summary>It is left to the middleware before this one.</summary>
    ThrowException,
}

/// <summary>How results are written.</summary>
public enum WriteOption
{
    /// <summary>Into memory first: with <c>Content-Length</c>, and a result that cannot be written is a 500.</summary>
    Buffered,

    /// <summary>Into the connection's own buffer, without its length.</summary>
    Direct,
}
