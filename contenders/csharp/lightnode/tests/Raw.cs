using System.Globalization;
using System.Text.Json;

namespace LightNode.Tests;

/// <summary>The same answer without a framework: what its cost is held against.</summary>
static class Raw
{
    static readonly JsonSerializerOptions Options = new JsonContentFormatter().Options;

    public static Task Echo(HttpContext context)
    {
        var query = context.Request.Query;
        if (!context.Request.Path.Equals("/Perf/Echo", StringComparison.OrdinalIgnoreCase)
            || (string?)query["name"] is not { } name
            || !int.TryParse(query["x"], NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var x)
            || !int.TryParse(query["y"], NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var y)
            || !int.TryParse(query["e"], NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var e)
            || !Enum.IsDefined((MyEnum)e))
        {
            context.Response.StatusCode = StatusCodes.Status400BadRequest;
            return Task.CompletedTask;
        }
        var body = JsonSerializer.SerializeToUtf8Bytes(new MyClass { Name = name, Sum = (x + y) * e }, Options);
        context.Response.ContentType = "application/json; charset=utf-8";
        context.Response.ContentLength = body.Length;
        return context.Response.Body.WriteAsync(body, 0, body.Length);
    }
}
