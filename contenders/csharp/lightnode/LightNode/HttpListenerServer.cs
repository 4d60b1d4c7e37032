using System.Net;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http.Features;

namespace LightNode;

/// <summary>Serves without Kestrel, over HttpListener: HTTP/1.1 in clear. It is registered as the host's <see cref="IServer"/>.</summary>
public sealed class HttpListenerServer : IServer
{
    readonly HttpListener listener = new();
    readonly CancellationTokenSource stopping = new();
    Task accepting = Task.CompletedTask;

    public HttpListenerServer() => Features.Set<IServerAddressesFeature>(new ServerAddressesFeature());

    public IFeatureCollection Features { get; } = new FeatureCollection();

    public Task StartAsync<TContext>(IHttpApplication<TContext> application, CancellationToken cancellationToken)
        where TContext : notnull
    {
        var addresses = Features.Get<IServerAddressesFeature>()!.Addresses;
        foreach (var address in addresses.DefaultIfEmpty("http://localhost:5000"))
        {
            listener.Prefixes.Add(address.EndsWith('/') ? address : address + "/");
        }
        listener.Start();
        accepting = Accept(application);
        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken)
    {
        stopping.Cancel();
        listener.Close();
        return accepting;
    }

    public void Dispose()
    {
        stopping.Dispose();
        listener.Close();
    }

    async Task Accept<TContext>(IHttpApplication<TContext> application) where TContext : notnull
    {
        while (!stopping.IsCancellationRequested)
        {
            HttpListenerContext context;
            try
            {
                context = await listener.GetContextAsync();
            }
            catch (Exception error) when (error is HttpListenerException or ObjectDisposedException)
            {
                return;
            }
            _ = Task.Run(() => Serve(application, context));
        }
    }

    static async Task Serve<TContext>(IHttpApplication<TContext> application, HttpListenerContext context) where TContext : notnull
    {
        var response = new Response(context.Response);
        var features = new FeatureCollection();
        features.Set<IHttpRequestFeature>(RequestOf(context.Request));
        features.Set<IHttpResponseFeature>(response);
        features.Set<IHttpResponseBodyFeature>(response.Body);
        var hosting = application.CreateContext(features);
        Exception? failure = null;
        try
        {
            await application.ProcessRequestAsync(hosting);
            await response.Body.CompleteAsync();
            response.SendHead();
            context.Response.Close();
        }
        catch (Exception error)
        {
            failure = error;
            context.Response.Abort();
        }
        application.DisposeContext(hosting, failure);
    }

    static HttpRequestFeature RequestOf(HttpListenerRequest request)
    {
        var url = request.Url!;
        var feature = new HttpRequestFeature
        {
            Method = request.HttpMethod!,
            Protocol = $"HTTP/{request.ProtocolVersion}",
            Scheme = url.Scheme,
            Path = Uri.UnescapeDataString(url.AbsolutePath),
            QueryString = url.Query,
            RawTarget = request.RawUrl ?? "",
            Body = new LimitedStream(request.InputStream),
        };
        foreach (var name in request.Headers.AllKeys.OfType<string>())
        {
            feature.Headers[name] = request.Headers.GetValues(name) ?? [];
        }
        return feature;
    }

    /// <summary>The head goes out before the first byte of the body.</summary>
    sealed class Response : HttpResponseFeature
    {
        readonly HttpListenerResponse response;
        bool isSent;

        public Response(HttpListenerResponse response)
        {
            this.response = response;
            Body = new StreamResponseBodyFeature(new HeadFirst(this, response.OutputStream));
        }

        public new StreamResponseBodyFeature Body { get; }

        public override bool HasStarted => isSent;

        public void SendHead()
        {
            if (isSent)
            {
                return;
            }
            isSent = true;
            response.StatusCode = StatusCode;
            if (ReasonPhrase is { } phrase)
            {
                response.StatusDescription = phrase;
            }
            foreach (var (name, values) in Headers)
            {
                if (name.Equals("Content-Length", StringComparison.OrdinalIgnoreCase))
                {
                    response.ContentLength64 = Headers.ContentLength ?? 0;
                }
                else
                {
                    response.Headers[name] = values.ToString();
                }
            }
        }
    }

    /// <summary>Sends the head when somebody writes.</summary>
    sealed class HeadFirst(Response response, Stream output) : OneWayStream(isRead: false)
    {
        public override void Write(byte[] buffer, int offset, int count)
        {
            response.SendHead();
            output.Write(buffer, offset, count);
        }

        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            response.SendHead();
            return output.WriteAsync(buffer, cancellationToken);
        }

        public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
            WriteAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

        public override Task FlushAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
