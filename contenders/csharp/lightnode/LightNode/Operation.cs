namespace LightNode;

/// <summary>Binds, calls and answers in one; the task is done when the answer is.</summary>
delegate Task Handler(HttpContext context, FormatterEntry formatter, Arguments arguments, OperationCoordinator? coordinator);

/// <summary>Calls with values that are bound, and answers.</summary>
delegate Task Call(HttpContext context, FormatterEntry formatter, object?[] parameters);

/// <summary>An operation that is ready to be called.</summary>
sealed class Operation
{
    readonly string[] names;

    public Operation(OperationInfo info, LightNodeServer server, LightNodeOptions options)
    {
        Info = info;
        names = [.. info.ParameterNames];
        // What is not read from the query is not found there by its name either.
        for (var place = 0; place < names.Length; place++)
        {
            names[place] = info.Parameters[place].Source == ParameterSource.Value ? names[place] : "";
        }
        Body = info.Body;
        Forced = info.Formatter is { } formatter ? Negotiator.Forced(formatter) : null;
        Allow = Verbs.Allow(info.Verbs);
        Filters = LightNode.Filters.Sorted(
            options.Filters.All.Concat(info.Attributes.OfType<LightNodeFilterAttribute>()), info.Path);
        var compiler = new OperationCompiler(this, server);
        var isWatched = Filters.Length > 0 || options.OperationCoordinatorFactory is not null || options.Logger is not null;
        Handler = isWatched ? compiler.Watched() : compiler.Direct();
        Call = isWatched ? compiler.Call() : null;
    }

    public OperationInfo Info { get; }

    public OperationParameter? Body { get; }

    public FormatterEntry? Forced { get; }

    /// <summary>The verbs as the header of a refusal has them.</summary>
    public string Allow { get; }

    /// <summary>In the order in which they run.</summary>
    public LightNodeFilterAttribute[] Filters { get; }

    public Handler Handler { get; }

    /// <summary>Where somebody stands between binding and calling.</summary>
    public Call? Call { get; }

    /// <summary>The place of a parameter; -1 where there is none of this name.</summary>
    /// <param name="next">Where to look first, since most requests have the order of the parameters.</param>
    public int IndexOf(ReadOnlySpan<char> name, int next)
    {
        if (name.IsEmpty)
        {
            return -1;
        }
        for (var tried = 0; tried < names.Length; tried++)
        {
            var place = next + tried;
            place = place < names.Length ? place : place - names.Length;
            if (name.Equals(names[place], StringComparison.OrdinalIgnoreCase))
            {
                return place;
            }
        }
        return -1;
    }
}
