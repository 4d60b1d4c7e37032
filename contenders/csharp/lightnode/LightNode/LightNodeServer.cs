using System.Diagnostics;
using Microsoft.AspNetCore.WebUtilities;

namespace LightNode;

/// <summary>From a request to its operation, or to a refusal.</summary>
sealed class LightNodeServer
{
    readonly RequestDelegate next;
    readonly LightNodeOptions options;
    readonly Negotiator negotiator;
    readonly Refusals refusals;
    readonly Func<OperationCoordinator>? coordinators;
    readonly bool takesNames;

    /// <summary>By path, in any case.</summary>
    readonly Dictionary<string, Operation> operations = new(StringComparer.OrdinalIgnoreCase);

    public LightNodeServer(RequestDelegate next, IReadOnlyList<OperationInfo> infos, LightNodeOptions options)
    {
        var began = Stopwatch.GetTimestamp();
        this.next = next;
        this.options = options;
        negotiator = new Negotiator(options.Formatters, options.RefuseUnacceptable);
        refusals = new Refusals(next, options);
        coordinators = options.OperationCoordinatorFactory;
        takesNames = options.ParameterEnumAllowsFieldNameParse;
        Answer = new Answer(options.WriteOption == WriteOption.Direct);
        foreach (var info in infos)
        {
            operations.Add(info.Path, new Operation(info, this, options));
            options.Logger?.Registered(info);
        }
        options.Logger?.Started(infos.Count, Stopwatch.GetElapsedTime(began));
    }

    public Answer Answer { get; }

    public Task Invoke(HttpContext context)
    {
        var coordinator = coordinators?.Invoke();
        if (coordinator is not null && !coordinator.OnStartProcessRequest(context))
        {
            return next(context);
        }
        var request = context.Request;
        var path = request.Path.Value ?? "";
        string? extension = null;
        if (!operations.TryGetValue(path, out var operation) && !TryWithExtension(path, out operation, out extension))
        {
            return refusals.Refuse(context, coordinator, Refusal.NoOperation(path));
        }
        if ((operation.Info.Verbs & Verbs.Of(request.Method)) == 0)
        {
            return refusals.Refuse(context, coordinator, Refusal.NoVerb(operation, request.Method));
        }
        if (Choose(operation, request, extension) is not { } formatter)
        {
            return refusals.Refuse(context, coordinator, Refusal.NoFormatter(extension));
        }
        if (operation.Body is not null || (!HttpMethods.IsGet(request.Method) && request.HasFormContentType))
        {
            return ReadThenHandle(context, operation, formatter, coordinator);
        }
        var arguments = Arguments.Rent(takesNames);
        ReadQuery(request, operation, arguments);
        return Handle(context, operation, formatter, arguments, coordinator);
    }

    /// <summary>Where filters, a coordinator or a logger stand around the call.</summary>
    public async Task Watched(
        Operation operation, HttpContext context, FormatterEntry formatter, OperationCoordinator? coordinator, object?[] parameters)
    {
        var about = new OperationContext(operation.Info, context, formatter.Formatter, parameters);
        var filters = coordinator?.GetFilters(about, operation.Filters) ?? operation.Filters;
        var call = () => operation.Call!(context, formatter, parameters);
        var began = Stopwatch.GetTimestamp();
        var isDone = false;
        options.Logger?.ExecuteStarted(context, operation.Info);
        try
        {
            await Filters.Run(
                filters, 0, about, coordinator is null ? call : () => coordinator.ExecuteOperation(about, call));
            isDone = true;
        }
        finally
        {
            options.Logger?.ExecuteFinished(context, operation.Info, !isDone, Stopwatch.GetElapsedTime(began));
        }
    }

    /// <summary>A parameter is missing or cannot be read.</summary>
    public Task RefuseBinding(
        Operation operation, HttpContext context, OperationCoordinator? coordinator, Arguments arguments, int place)
    {
        var refusal = Refusal.NoValue(operation.Info.Parameters[place], arguments.Has(place));
        arguments.Return();
        return refusals.Refuse(context, coordinator, refusal);
    }

    Task Handle(
        HttpContext context, Operation operation, FormatterEntry formatter, Arguments arguments, OperationCoordinator? coordinator)
    {
        try
        {
            var task = operation.Handler(context, formatter, arguments, coordinator);
            return task.IsCompletedSuccessfully ? task : Awaited(task, context, operation, formatter);
        }
        catch (Exception error)
        {
            return Fail(context, operation, formatter, error);
        }
    }

    async Task Awaited(Task task, HttpContext context, Operation operation, FormatterEntry formatter)
    {
        try
        {
            await task;
        }
        catch (Exception error)
        {
            await Fail(context, operation, formatter, error);
        }
    }

    Task Fail(HttpContext context, Operation operation, FormatterEntry formatter, Exception error)
    {
        if (error is OperationCanceledException && context.RequestAborted.IsCancellationRequested)
        {
            // Nobody is left to be answered.
            return Task.CompletedTask;
        }
        if (error is not ReturnStatusCodeException)
        {
            options.Logger?.ExceptionThrown(context, operation.Info, error);
        }
        return refusals.Fail(context, Answer, formatter, error);
    }

    bool TryWithExtension(string path, out Operation operation, out string? extension)
    {
        var dot = path.LastIndexOf('.');
        extension = dot > path.LastIndexOf('/') ? path[(dot + 1)..] : null;
        operation = null!;
        return extension is not null && operations.TryGetValue(path[..dot], out operation!);
    }

    FormatterEntry? Choose(Operation operation, HttpRequest request, string? extension)
    {
        if (operation.Forced is not { } forced)
        {
            return negotiator.Choose(request, extension);
        }
        return extension is null || Negotiator.HasExtension(forced.Formatter, extension) ? forced : null;
    }

    async Task ReadThenHandle(
        HttpContext context, Operation operation, FormatterEntry formatter, OperationCoordinator? coordinator)
    {
        var request = context.Request;
        object? body = null;
        IFormCollection? form = null;
        try
        {
            if (operation.Body is { } parameter)
            {
                if (negotiator.ForBody(request) is not { } reader)
                {
                    await refusals.Refuse(context, coordinator, Refusal.NoReader(request.ContentType));
                    return;
                }
                body = await reader.Deserialize(parameter.Type, request.Body, context.RequestAborted);
            }
            else
            {
                form = await request.ReadFormAsync(context.RequestAborted);
            }
        }
        catch (Exception error) when (error is ContentFormatException or InvalidDataException)
        {
            await refusals.Refuse(context, coordinator, Refusal.NoBody(error.Message));
            return;
        }
        catch (BadHttpRequestException error)
        {
            await refusals.Refuse(context, coordinator, Refusal.NoBody(error.Message, error.StatusCode));
            return;
        }
        var arguments = Arguments.Rent(takesNames);
        arguments.Body = body;
        ReadQuery(request, operation, arguments);
        ReadForm(form, operation, arguments);
        await Handle(context, operation, formatter, arguments, coordinator);
    }

    static void ReadQuery(HttpRequest request, Operation operation, Arguments arguments)
    {
        var next = 0;
        foreach (var pair in new QueryStringEnumerable(request.QueryString.Value))
        {
            var place = operation.IndexOf(pair.DecodeName().Span, next);
            if (place >= 0)
            {
                arguments.Add(place, pair.DecodeValue());
                next = place + 1 < operation.Info.Parameters.Count ? place + 1 : 0;
            }
        }
    }

    static void ReadForm(IFormCollection? form, Operation operation, Arguments arguments)
    {
        if (form is null)
        {
            return;
        }
        foreach (var (name, values) in form)
        {
            var place = operation.IndexOf(name, 0);
            for (var i = 0; place >= 0 && i < values.Count; i++)
            {
                arguments.Add(place, values[i].AsMemory());
            }
        }
    }
}
