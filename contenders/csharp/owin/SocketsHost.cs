using System;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Threading.Tasks;
using AppFunc = System.Func<System.Collections.Generic.IDictionary<string, object>, System.Threading.Tasks.Task>;

/// <summary>OWIN over sockets of its own: what HttpListener costs is not in it.</summary>
static class SocketsHost
{
    public static async Task RunAsync(string host, int port, AppFunc app)
    {
        var listener = new TcpListener(IPAddress.Parse(host), port);
        listener.Start(512);
        while (true)
        {
            var client = await listener.AcceptTcpClientAsync();
            // Not awaited: the next connection does not wait for this one.
            _ = Task.Run(() => ServeAsync(client, app));
        }
    }

    static async Task ServeAsync(TcpClient client, AppFunc app)
    {
        using (client)
        {
            client.NoDelay = true;
            try
            {
                await new Connection(client.GetStream(), app).ServeAsync();
            }
            // A client that goes away is no error.
            catch (Exception error) when (error is IOException || error is SocketException || error is ObjectDisposedException)
            {
            }
            catch (Exception error)
            {
                Console.Error.WriteLine(error);
            }
        }
    }
}
