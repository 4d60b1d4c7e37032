using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

/// <summary>Writes head and body to the connection, a small body together with its head.</summary>
sealed class SocketsBody : ResponseBody
{
    // Beyond it copying the body costs more than another write.
    const int SentTogether = 16 * 1024;

    readonly Stream stream;
    bool headSent;

    public SocketsBody(Stream stream, bool keepsConnection)
    {
        this.stream = stream;
        KeepsConnection = keepsConnection;
    }

    public IDictionary<string, object> Environment { get; set; }

    /// <summary>Of a body without a length the client sees the end by that of the connection.</summary>
    public bool KeepsConnection { get; private set; }

    public override void Write(byte[] buffer, int offset, int count)
    {
        var first = First(ref buffer, ref offset, ref count);
        if (first != null)
        {
            stream.Write(first, 0, first.Length);
        }
        stream.Write(buffer, offset, count);
    }

    public override async Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancelled)
    {
        var first = First(ref buffer, ref offset, ref count);
        if (first != null)
        {
            await stream.WriteAsync(first, 0, first.Length, cancelled);
        }
        await stream.WriteAsync(buffer, offset, count, cancelled);
    }

    /// <summary>Sends the head of an answer without a body.</summary>
    public async Task EndAsync()
    {
        if (headSent)
        {
            return;
        }
        OwinEnvironment.Headers(Environment)["Content-Length"] = new[] { "0" };
        var head = Head();
        await stream.WriteAsync(head, 0, head.Length);
    }

    /// <summary>What is to be written before the body: the head where the body is large, else nothing, and the head is put before the body.</summary>
    byte[] First(ref byte[] buffer, ref int offset, ref int count)
    {
        if (headSent)
        {
            return null;
        }
        var head = Head();
        if (count > SentTogether)
        {
            return head;
        }
        var together = new byte[head.Length + count];
        Buffer.BlockCopy(head, 0, together, 0, head.Length);
        Buffer.BlockCopy(buffer, offset, together, head.Length, count);
        buffer = together;
        offset = 0;
        count = together.Length;
        return null;
    }

    byte[] Head()
    {
        headSent = true;
        var headers = OwinEnvironment.Headers(Environment);
        KeepsConnection &= headers.ContainsKey("Content-Length");
        return ResponseHead.Of(OwinEnvironment.Status(Environment), headers, KeepsConnection);
    }
}
