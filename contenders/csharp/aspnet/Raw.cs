using System.Globalization;
using System.Text;
using System.Text.Json;

/// <summary>One RequestDelegate for all requests: no routing, no binding, no results.</summary>
class Raw(bool synchronous)
{
    public static void Run(WebApplicationBuilder builder, bool synchronous)
    {
        // Without it Kestrel refuses Stream.Write.
        builder.WebHost.ConfigureKestrel(options => options.AllowSynchronousIO = synchronous);
        var app = builder.Build();
        app.Run(new Raw(synchronous).Handle);
        app.Run();
    }

    Task Handle(HttpContext context)
    {
        var path = context.Request.Path.Value ?? "";
        return context.Request.Method switch
        {
            "GET" when path == "/" => Task.CompletedTask,
            "GET" when path == "/Perf/Echo" => Echo(context.Request.Query, context.Response),
            "GET" when IdIn(path) is { } id => Send(context.Response, "text/plain; charset=utf-8", Encoding.UTF8.GetBytes(id)),
            "POST" when path == "/user" => Task.CompletedTask,
            "POST" when path == "/coin" => Coin(context.Request, context.Response),
            _ => Refuse(context.Response, 404),
        };
    }

    Task Echo(IQueryCollection query, HttpResponse response)
    {
        if (query["name"] is not [{ } name]
            || Number(query, "x") is not { } x
            || Number(query, "y") is not { } y
            || Number(query, "e") is not (>= 2 and <= 4 and var e))
        {
            return Refuse(response, 400);
        }
        int? size = query.ContainsKey("size") ? Number(query, "size") : 0;
        if (size is null or > Echoed.LargestSize)
        {
            return Refuse(response, 400);
        }
        return Send(response, Echoed.Of(name, x, y, (Factor)e, size.Value));
    }

    async Task Coin(HttpRequest request, HttpResponse response)
    {
        Wager? wager;
        try
        {
            wager = await JsonSerializer.DeserializeAsync<Wager>(request.Body, Echoed.Json);
        }
        catch (JsonException)
        {
            wager = null;
        }
        await (wager is null ? Refuse(response, 400) : Send(response, Toss.Of(wager)));
    }

    Task Send<T>(HttpResponse response, T value) =>
        Send(response, "application/json", JsonSerializer.SerializeToUtf8Bytes(value, Echoed.Json));

    Task Send(HttpResponse response, string type, byte[] body)
    {
        response.ContentType = type;
        response.ContentLength = body.Length;
        if (!synchronous)
        {
            return WriteAsync(response, body);
        }
        response.Body.Write(body);
        return Task.CompletedTask;
    }

    static async Task WriteAsync(HttpResponse response, byte[] body)
    {
        await response.Body.WriteAsync(body);
    }

    static Task Refuse(HttpResponse response, int status)
    {
        response.StatusCode = status;
        return Task.CompletedTask;
    }

    static int? Number(IQueryCollection query, string name)
    {
        var values = query[name];
        return values.Count == 1
            && int.TryParse(values[0], NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var number)
            ? number
            : null;
    }

    static string? IdIn(string path)
    {
        const string prefix = "/user/";
        var id = path.StartsWith(prefix, StringComparison.Ordinal) ? path[prefix.Length..] : "";
        return id == "" || id.Contains('/') ? null : id;
    }
}
