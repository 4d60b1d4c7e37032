using System.Net.Sockets;
using System.Text;

namespace LightNode.Tests;

/// <summary>Sends one request again and again on one connection, and allocates nothing for it.</summary>
sealed class RawClient : IDisposable
{
    static readonly byte[] End = "\"Sum\":60}"u8.ToArray();

    readonly Socket socket = new(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
    readonly byte[] request;
    readonly byte[] answer = new byte[4096];

    public RawClient(Uri address)
    {
        request = Encoding.ASCII.GetBytes(
            $"GET /Perf/Echo?name=hogehoge&x=10&y=20&e=2 HTTP/1.1\r\nHost: {address.Authority}\r\n\r\n");
        socket.Connect(address.Host, address.Port);
    }

    public void Send() => socket.Send(request);

    public void Receive()
    {
        var length = 0;
        while (!answer.AsSpan(0, length).EndsWith(End))
        {
            var read = socket.Receive(answer.AsSpan(length));
            if (read == 0 || (length += read) == answer.Length)
            {
                throw new Exception($"expected the sum, got {Encoding.UTF8.GetString(answer, 0, length)}");
            }
        }
    }

    public void Dispose() => socket.Dispose();
}
