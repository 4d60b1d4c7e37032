namespace LightNode.Tests;

/// <summary>What a request allocates: LightNode, and a RequestDelegate that writes the same JSON.</summary>
static class Allocations
{
    const int Requests = 20_000;
    const string Echo = "/Perf/Echo?name=hogehoge&x=10&y=20&e=2";

    public static async Task<int> Measure()
    {
        foreach (var (name, use) in new (string, Action<WebApplication>)[]
        {
            ("RequestDelegate", app => app.Run(Raw.Echo)),
            ("LightNode", app =>
            {
                var options = new LightNodeOptions();
                app.UseLightNode(options, Contracts.Of(options, typeof(Perf)));
            }),
            ("LightNode, a filter", app =>
            {
                var options = new LightNodeOptions();
                options.Filters.Add((_, next) => next());
                app.UseLightNode(options, Contracts.Of(options, typeof(Perf)));
            }),
        })
        {
            Console.WriteLine($"{name}: {await BytesPerRequest(use):F0} bytes per request");
        }
        return 0;
    }

    public static async Task<double> BytesPerRequest(Action<WebApplication> use)
    {
        await using var server = await TestServer.Start(use);
        using var client = new RawClient(new Uri(server.Address), Echo);
        await client.Send(Requests);
        var before = GC.GetTotalAllocatedBytes(precise: true);
        await client.Send(Requests);
        return (GC.GetTotalAllocatedBytes(precise: true) - before) / (double)Requests;
    }
}
