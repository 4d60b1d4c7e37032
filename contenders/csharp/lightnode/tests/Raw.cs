using System.Globalization;
using System.Text.Json;
using Microsoft.AspNetCore.WebUtilities;

namespace LightNode.Tests;

/// <summary>The same answer without a framework: what LightNode's cost is held against.</summary>
static class Raw
{
    static readonly JsonSerializerOptions Options = new JsonContentFormatter().Options;

    /// <summary>As one would write it.</summary>
    public static Task Echo(HttpContext context)
    {
        var query = context.Request.Query;
        return (string?)query["name"] is { } name && TryInteger((string?)query["x"], out var x) && TryInteger((string?)query["y"], out var y) && TryInteger((string?)query["e"], out var e)
            ? Answer(context, name, x, y, e)
            : Refuse(context);
    }

    /// <summary>Without the collection that ASP.NET Core makes of a query.</summary>
    public static Task EchoByHand(HttpContext context)
    {
        string? name = null;
        int? x = null, y = null, e = null;
        foreach (var pair in new QueryStringEnumerable(context.Request.QueryString.Value))
        {
            var key = pair.DecodeName().Span;
            var value = pair.DecodeValue();
            if (key.Equals("name", StringComparison.OrdinalIgnoreCase))
            {
                name ??= value.ToString();
            }
            else if (!TryInteger(value.Span, out var number))
            {
                return Refuse(context);
            }
            else if (key.Equals("x", StringComparison.OrdinalIgnoreCase))
            {
                x ??= number;
            }
            else if (key.Equals("y", StringComparison.OrdinalIgnoreCase))
            {
                y ??= number;
            }
            else if (key.Equals("e", StringComparison.OrdinalIgnoreCase))
            {
                e ??= number;
            }
        }
        return name is not null && x is not null && y is not null && e is not null
            ? Answer(context, name, x.Value, y.Value, e.Value)
            : Refuse(context);
    }

    static bool TryInteger(ReadOnlySpan<char> text, out int value) =>
        int.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out value);

    static Task Answer(HttpContext context, string name, int x, int y, int e)
    {
        if (!Enum.IsDefined((MyEnum)e) || !context.Request.Path.Equals("/Perf/Echo", StringComparison.OrdinalIgnoreCase))
        {
            return Refuse(context);
        }
        var body = JsonSerializer.SerializeToUtf8Bytes(new MyClass { Name = name, Sum = (x + y) * e }, Options);
        context.Response.ContentType = "application/json; charset=utf-8";
        context.Response.ContentLength = body.Length;
        return context.Response.Body.WriteAsync(body, 0, body.Length);
    }

    static Task Refuse(HttpContext context)
    {
        context.Response.StatusCode = StatusCodes.Status400BadRequest;
        return Task.CompletedTask;
    }
}
