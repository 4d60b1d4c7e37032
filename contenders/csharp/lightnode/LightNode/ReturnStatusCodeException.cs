using System.Net;

namespace LightNode;

/// <summary>Ends an operation with a status code, and with a body where content is given.</summary>
public class ReturnStatusCodeException : Exception
{
    /// <param name="statusCode">200 to 599.</param>
    /// <param name="reasonPhrase">Stands behind the status in HTTP/1.1 instead of the usual phrase.</param>
    /// <param name="content">The body; none where it is null.</param>
    /// <param name="contentFormatter">Writes the content; the negotiated one where it is null.</param>
    /// <param name="headers">Called before the head is sent, to add to it.</param>
    public ReturnStatusCodeException(
        int statusCode,
        string? reasonPhrase = null,
        object? content = null,
        IContentFormatter? contentFormatter = null,
        Action<IHeaderDictionary>? headers = null)
        : base($"the operation ended with status {statusCode}")
    {
        if (statusCode is < 200 or > 599)
        {
            throw new ArgumentOutOfRangeException(nameof(statusCode), statusCode, "expected a status code of 200 to 599");
        }
        if (reasonPhrase is not null && reasonPhrase.Any(c => c is < ' ' or > '~'))
        {
            throw new ArgumentException("expected printable ASCII", nameof(reasonPhrase));
        }
        StatusCode = statusCode;
        ReasonPhrase = reasonPhrase;
        Content = content;
        ContentFormatter = contentFormatter;
        Headers = headers;
    }

    public ReturnStatusCodeException(
        HttpStatusCode statusCode,
        string? reasonPhrase = null,
        object? content = null,
        IContentFormatter? contentFormatter = null,
        Action<IHeaderDictionary>? headers = null)
        : this((int)statusCode, reasonPhrase, content, contentFormatter, headers)
    {
    }

    public int StatusCode { get; }

    public string? ReasonPhrase { get; }

    public object? Content { get; }

    public IContentFormatter? ContentFormatter { get; }

    public Action<IHeaderDictionary>? Headers { get; }

    /// <summary>Whether content may not follow this status (204, 205, 304).</summary>
    internal bool HasNoBody => Content is null || StatusCode is 204 or 205 or 304;
}
