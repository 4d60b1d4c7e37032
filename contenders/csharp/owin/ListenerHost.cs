using System;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Threading;
using System.Threading.Tasks;
using AppFunc = System.Func<System.Collections.Generic.IDictionary<string, object>, System.Threading.Tasks.Task>;

/// <summary>OWIN over HttpListener, as Katana's self-host is.</summary>
static class ListenerHost
{
    public static async Task RunAsync(string host, int port, AppFunc app)
    {
        var listener = new HttpListener();
        listener.Prefixes.Add($"http://{host}:{port}/");
        listener.Start();
        while (true)
        {
            var context = await listener.GetContextAsync();
            // Not awaited: the next request does not wait for this one.
            _ = Task.Run(() => AnswerAsync(context, app));
        }
    }

    static async Task AnswerAsync(HttpListenerContext context, AppFunc app)
    {
        try
        {
            var body = new Body(context.Response);
            var environment = Environment(context.Request, body);
            body.Environment = environment;
            await app(environment);
            body.SendHead();
            context.Response.Close();
        }
        catch (Exception error)
        {
            Console.Error.WriteLine(error);
            context.Response.Abort();
        }
    }

    static IDictionary<string, object> Environment(HttpListenerRequest request, Stream body)
    {
        var headers = OwinEnvironment.NewHeaders();
        foreach (string name in request.Headers)
        {
            headers[name] = request.Headers.GetValues(name);
        }
        var query = request.Url.Query;
        return OwinEnvironment.Of(
            request.HttpMethod,
            request.Url.LocalPath,
            query.Length > 0 ? query.Substring(1) : "",
            "HTTP/" + request.ProtocolVersion,
            headers,
            request.InputStream,
            body);
    }

    sealed class Body : ResponseBody
    {
        readonly HttpListenerResponse response;
        bool headSent;

        public Body(HttpListenerResponse response)
        {
            this.response = response;
        }

        public IDictionary<string, object> Environment { get; set; }

        // HttpListener itself sends head and body together.
        public void SendHead()
        {
            if (headSent)
            {
                return;
            }
            headSent = true;
            response.StatusCode = OwinEnvironment.Status(Environment);
            foreach (var header in OwinEnvironment.Headers(Environment))
            {
                if (header.Key.Equals("Content-Length", StringComparison.OrdinalIgnoreCase))
                {
                    response.ContentLength64 = long.Parse(header.Value[0]);
                    continue;
                }
                foreach (var value in header.Value)
                {
                    response.AppendHeader(header.Key, value);
                }
            }
        }

        public override void Write(byte[] buffer, int offset, int count)
        {
            SendHead();
            response.OutputStream.Write(buffer, offset, count);
        }

        public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancelled)
        {
            SendHead();
            return response.OutputStream.WriteAsync(buffer, offset, count, cancelled);
        }
    }
}
