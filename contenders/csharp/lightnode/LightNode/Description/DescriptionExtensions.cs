using System.Text;

namespace LightNode;

/// <summary>Serves what describes the operations.</summary>
public static class DescriptionExtensions
{
    /// <summary>Answers GET of <paramref name="path"/> with a page, and of <c>{path}/openapi.json</c> with the document.</summary>
    public static IApplicationBuilder UseLightNodeDescription(
        this IApplicationBuilder app,
        LightNodeOptions options,
        IReadOnlyList<OperationInfo> operations,
        string path = "/api",
        string title = "Operations",
        string version = "1")
    {
        var documentPath = path + "/openapi.json";
        var document = Encoding.UTF8.GetBytes(OpenApiDocument.Of(operations, options, title, version).ToJsonString());
        // Relative to the page, which may lie below a path of its own.
        var page = Encoding.UTF8.GetBytes(OperationsPage.Of(operations, title, documentPath[(path.LastIndexOf('/') + 1)..]));
        return app.Use(next => context =>
        {
            var request = context.Request;
            var (type, body) = !HttpMethods.IsGet(request.Method) ? ("", null)
                : request.Path.Equals(path, StringComparison.OrdinalIgnoreCase) ? ("text/html; charset=utf-8", page)
                : request.Path.Equals(documentPath, StringComparison.OrdinalIgnoreCase) ? ("application/json", document)
                : ("", (byte[]?)null);
            if (body is null)
            {
                return next(context);
            }
            context.Response.ContentType = type;
            context.Response.ContentLength = body.Length;
            return context.Response.Body.WriteAsync(body, 0, body.Length, context.RequestAborted);
        });
    }
}
