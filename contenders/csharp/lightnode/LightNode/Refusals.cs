using System.Buffers;
using System.Text.Json;
using Microsoft.AspNetCore.Http.Features;

namespace LightNode;

/// <summary>Why a request does not get to its operation.</summary>
readonly record struct Refusal(int Status, InterruptReason Reason, string Detail, string? Allow = null)
{
    public static Refusal NoOperation(string path) =>
        new(StatusCodes.Status404NotFound, InterruptReason.OperationMissing, $"no operation {path}; expected /Class/Method");

    public static Refusal NoVerb(Operation operation, string method) => new(
        StatusCodes.Status405MethodNotAllowed,
        InterruptReason.VerbMissing,
        $"{operation.Info.Path} does not take {method}; expected {operation.Allow}",
        operation.Allow);

    public static Refusal NoFormatter(string? extension) => new(
        StatusCodes.Status406NotAcceptable,
        InterruptReason.NegotiationFailed,
        extension is null ? "nothing here fits Accept" : $"no formatter here has the extension {extension}");

    public static Refusal NoReader(string? contentType) => new(
        StatusCodes.Status415UnsupportedMediaType,
        InterruptReason.ContentTypeUnsupported,
        $"no formatter here reads the content type {contentType ?? "(none)"}");

    public static Refusal NoBody(string problem, int status = StatusCodes.Status400BadRequest) =>
        new(status, InterruptReason.ParameterBindFailed, $"the body cannot be read: {problem}");

    public static Refusal NoValue(OperationParameter parameter, bool isThere) => new(
        StatusCodes.Status400BadRequest,
        InterruptReason.ParameterBindFailed,
        parameter.Source == ParameterSource.Body ? "the body is null"
            : isThere ? $"parameter {parameter.Name} cannot be read; expected {Expected(parameter)}"
            : $"parameter {parameter.Name} is missing; expected {Expected(parameter)}");

    static string Expected(OperationParameter parameter)
    {
        var type = parameter.Element ?? parameter.Underlying ?? parameter.Type;
        return type.IsEnum && !type.IsDefined(typeof(FlagsAttribute), false)
            ? $"one of {string.Join(", ", Enum.GetValuesAsUnderlyingType(type).Cast<object>())}"
            : type.Name;
    }
}

/// <summary>Answers what did not get to its operation, or came back from it with an exception.</summary>
sealed class Refusals(RequestDelegate next, LightNodeOptions options)
{
    readonly HashSet<int> passed = [.. options.PassThroughWhenStatusCodesAre];

    public Task Refuse(HttpContext context, OperationCoordinator? coordinator, Refusal refusal)
    {
        coordinator?.OnProcessInterrupt(context, refusal.Reason, refusal.Detail);
        options.Logger?.Interrupted(context, refusal.Reason, refusal.Detail);
        if (passed.Contains(refusal.Status))
        {
            return next(context);
        }
        if (refusal.Allow is { } allow)
        {
            context.Response.Headers.Allow = allow;
        }
        return Problem(context, refusal.Status, options.IncludeRefusalDetails ? refusal.Detail : null);
    }

    public Task Fail(HttpContext context, Answer answer, FormatterEntry formatter, Exception error)
    {
        var policy = options.ErrorHandlingPolicy;
        if (context.Response.HasStarted || (error is not ReturnStatusCodeException && policy == ErrorHandlingPolicy.ThrowException))
        {
            // What has begun cannot be taken back: the server ends the connection.
            return Task.FromException(error);
        }
        // A filter may have set what belongs to an answer that is not given.
        context.Response.Clear();
        if (error is ReturnStatusCodeException status)
        {
            return Return(context, answer, formatter, status);
        }
        return Problem(
            context,
            StatusCodes.Status500InternalServerError,
            policy == ErrorHandlingPolicy.ReturnInternalServerErrorIncludeErrorDetails ? error.ToString() : null);
    }

    static Task Return(HttpContext context, Answer answer, FormatterEntry formatter, ReturnStatusCodeException status)
    {
        context.Response.StatusCode = status.StatusCode;
        if (status.ReasonPhrase is { } phrase && context.Features.Get<IHttpResponseFeature>() is { } feature)
        {
            feature.ReasonPhrase = phrase;
        }
        status.Headers?.Invoke(context.Response.Headers);
        if (status.HasNoBody)
        {
            return Task.CompletedTask;
        }
        var own = status.ContentFormatter is { } other ? Negotiator.Forced(other) : formatter;
        return answer.Value(context, own, status.Content);
    }

    /// <summary>A problem as RFC 9457 has it.</summary>
    static Task Problem(HttpContext context, int status, string? detail)
    {
        var body = new ArrayBufferWriter<byte>();
        using (var writer = new Utf8JsonWriter(body))
        {
            writer.WriteStartObject();
            writer.WriteString("title", Microsoft.AspNetCore.WebUtilities.ReasonPhrases.GetReasonPhrase(status));
            writer.WriteNumber("status", status);
            if (detail is not null)
            {
                writer.WriteString("detail", detail);
            }
            writer.WriteEndObject();
        }
        var response = context.Response;
        response.StatusCode = status;
        response.ContentType = "application/problem+json";
        response.ContentLength = body.WrittenCount;
        // The server leaves it out of an answer to HEAD.
        return response.Body.WriteAsync(body.WrittenMemory, context.RequestAborted).AsTask();
    }
}
