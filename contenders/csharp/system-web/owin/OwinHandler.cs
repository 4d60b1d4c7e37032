using System;
using System.Collections.Generic;
using System.IO;
using System.Threading.Tasks;
using System.Web;
using AppFunc = System.Func<System.Collections.Generic.IDictionary<string, object>, System.Threading.Tasks.Task>;

/// <summary>Wraps an OWIN application for System.Web, as Katana does: all requests of the site are handed to it.</summary>
public abstract class OwinHandler : HttpTaskAsyncHandler
{
    readonly AppFunc app;

    protected OwinHandler(AppFunc app)
    {
        this.app = app;
    }

    public override bool IsReusable
    {
        get { return true; }
    }

    public override async Task ProcessRequestAsync(HttpContext context)
    {
        var response = context.Response;
        var environment = Environment(context.Request, response.OutputStream);
        await app(environment);
        // System.Web buffers the body, so that nothing has been sent yet.
        response.StatusCode = OwinEnvironment.Status(environment);
        foreach (var header in OwinEnvironment.Headers(environment))
        {
            Set(response, header.Key, header.Value);
        }
    }

    static IDictionary<string, object> Environment(HttpRequest request, Stream body)
    {
        var headers = OwinEnvironment.NewHeaders();
        foreach (string name in request.Headers)
        {
            headers[name] = request.Headers.GetValues(name);
        }
        var query = request.Url.Query;
        return OwinEnvironment.Of(
            request.HttpMethod,
            request.Path,
            query.Length > 0 ? query.Substring(1) : "",
            request.ServerVariables["SERVER_PROTOCOL"],
            headers,
            request.InputStream,
            body);
    }

    static void Set(HttpResponse response, string name, string[] values)
    {
        // The length is that of System.Web's buffer.
        if (name.Equals("Content-Length", StringComparison.OrdinalIgnoreCase))
        {
            return;
        }
        if (name.Equals("Content-Type", StringComparison.OrdinalIgnoreCase))
        {
            response.ContentType = values[0];
            return;
        }
        foreach (var value in values)
        {
            response.AppendHeader(name, value);
        }
    }
}

public sealed class OwinSyncHandler : OwinHandler
{
    public OwinSyncHandler() : base(RawHandler.Of(EchoQuery.Answer, synchronous: true))
    {
    }
}

public sealed class OwinAsyncHandler : OwinHandler
{
    public OwinAsyncHandler() : base(RawHandler.Of(EchoQuery.Answer, synchronous: false))
    {
    }
}
