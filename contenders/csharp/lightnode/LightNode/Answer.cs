namespace LightNode;

/// <summary>
/// Writes what operations return. Nothing is awaited that is done already, and no token of the request's end is asked for: the server has
/// to make one, and ends a write to a connection that is gone by itself.
/// </summary>
sealed class Answer(bool isDirect)
{
    public static Task Nothing(HttpContext context)
    {
        context.Response.StatusCode = StatusCodes.Status204NoContent;
        return Task.CompletedTask;
    }

    public static Task NothingAfterTask(HttpContext context, Task task)
    {
        return task.IsCompletedSuccessfully ? Nothing(context) : Awaited(context, task);

        static async Task Awaited(HttpContext context, Task task)
        {
            await task;
            await Nothing(context);
        }
    }

    public static Task NothingAfterValueTask(HttpContext context, ValueTask task) => NothingAfterTask(context, task.AsTask());

    public Task AfterTask<T>(HttpContext context, FormatterEntry formatter, Task<T> task)
    {
        return task.IsCompletedSuccessfully ? Value(context, formatter, task.Result) : Awaited(context, formatter, task);

        async Task Awaited(HttpContext context, FormatterEntry formatter, Task<T> task) =>
            await Value(context, formatter, await task);
    }

    public Task AfterValueTask<T>(HttpContext context, FormatterEntry formatter, ValueTask<T> task) =>
        task.IsCompletedSuccessfully ? Value(context, formatter, task.Result) : AfterTask(context, formatter, task.AsTask());

    public Task Value<T>(HttpContext context, FormatterEntry formatter, T value)
    {
        var response = context.Response;
        if (isDirect)
        {
            SetHead(response, formatter);
            formatter.Formatter.Serialize(response.BodyWriter, value);
            return Flushed(response.BodyWriter.FlushAsync(), null);
        }
        var buffer = PooledBuffer.Rent();
        try
        {
            formatter.Formatter.Serialize(buffer, value);
            SetHead(response, formatter);
            response.ContentLength = buffer.Written.Length;
            return Flushed(response.BodyWriter.WriteAsync(buffer.Written), buffer);
        }
        catch
        {
            buffer.Dispose();
            throw;
        }
    }

    static void SetHead(HttpResponse response, FormatterEntry formatter)
    {
        response.ContentType = formatter.ContentType;
        if (formatter.Formatter.ContentEncoding is { } encoding)
        {
            response.Headers.ContentEncoding = encoding;
        }
        if (formatter.Vary is { } vary)
        {
            response.Headers.Vary = vary;
        }
    }

    /// <summary>Until it is flushed somebody may read what the buffer holds.</summary>
    static Task Flushed(ValueTask<System.IO.Pipelines.FlushResult> flush, PooledBuffer? buffer)
    {
        if (!flush.IsCompletedSuccessfully)
        {
            return Awaited(flush, buffer);
        }
        // The result must be fetched, once.
        _ = flush.Result;
        buffer?.Dispose();
        return Task.CompletedTask;

        static async Task Awaited(ValueTask<System.IO.Pipelines.FlushResult> flush, PooledBuffer? buffer)
        {
            await flush;
            buffer?.Dispose();
        }
    }
}
