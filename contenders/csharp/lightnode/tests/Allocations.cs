namespace LightNode.Tests;

/// <summary>What a request allocates.</summary>
static class Allocations
{
    const int Requests = 20_000;

    public static async Task<int> Measure()
    {
        foreach (var name in Servers.All.Keys)
        {
            Console.WriteLine($"{name}: {await BytesPerRequest(name):F0} bytes per request");
        }
        return 0;
    }

    public static async Task<double> BytesPerRequest(string name)
    {
        await using var server = await TestServer.Start(Servers.All[name]);
        using var client = new RawClient(new Uri(server.Address));
        Send(client);
        var before = GC.GetTotalAllocatedBytes(precise: true);
        Send(client);
        return (GC.GetTotalAllocatedBytes(precise: true) - before) / (double)Requests;
    }

    static void Send(RawClient client)
    {
        for (var i = 0; i < Requests; i++)
        {
            client.Send();
            client.Receive();
        }
    }
}
