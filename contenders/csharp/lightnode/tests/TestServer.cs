using System.Net;
using Microsoft.AspNetCore.Hosting.Server;

namespace LightNode.Tests;

/// <summary>A server with some contracts on a port that is free, and a client for it.</summary>
sealed class TestServer : IAsyncDisposable
{
    readonly WebApplication app;

    TestServer(WebApplication app, string address)
    {
        this.app = app;
        Address = address;
        Client = new HttpClient { BaseAddress = new Uri(address) };
    }

    public string Address { get; }

    public HttpClient Client { get; }

    public static Task<TestServer> Start(LightNodeOptions? options, params Type[] contracts) => Start(
        app =>
        {
            var own = options ?? new LightNodeOptions();
            app.UseLightNode(own, Contracts.Of(own, contracts));
        });

    public static async Task<TestServer> Start(Action<WebApplication> use, IServer? server = null, string url = "http://127.0.0.1:0")
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls(url);
        if (server is not null)
        {
            builder.Services.AddSingleton(server);
        }
        var app = builder.Build();
        use(app);
        await app.StartAsync();
        return new TestServer(app, app.Urls.First());
    }

    public async Task<(int Status, string Body)> Get(string path)
    {
        using var response = await Client.GetAsync(path);
        return ((int)response.StatusCode, await response.Content.ReadAsStringAsync());
    }

    public Task<HttpResponseMessage> Send(
        string method, string path, HttpContent? body = null, params (string Name, string Value)[] headers)
    {
        var request = new HttpRequestMessage(new HttpMethod(method), path) { Content = body };
        foreach (var (name, value) in headers)
        {
            request.Headers.TryAddWithoutValidation(name, value);
        }
        return Client.SendAsync(request);
    }

    /// <summary>The answer to GET is this status and this body.</summary>
    public async Task Expect(string path, int status, string body)
    {
        var answer = await Get(path);
        Check.Equal((status, body), answer, path);
    }

    /// <summary>The answer to GET is this status.</summary>
    public async Task Expect(string path, int status) => Check.Equal(status, (await Get(path)).Status, path);

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await app.StopAsync();
        await app.DisposeAsync();
    }
}
