using System;
using System.IO;
using System.Threading.Tasks;
using AppFunc = System.Func<System.Collections.Generic.IDictionary<string, object>, System.Threading.Tasks.Task>;

/// <summary>HTTP/1.1 on one connection: requests that follow each other, with bodies whose length is announced.</summary>
sealed class Connection
{
    const int LargestHead = 32 * 1024;
    const int LargestBody = 1024 * 1024;

    readonly Stream stream;
    readonly AppFunc app;
    readonly byte[] received = new byte[LargestHead];
    int length;

    public Connection(Stream stream, AppFunc app)
    {
        this.stream = stream;
        this.app = app;
    }

    /// <summary>Ends when either side wants no more of the connection.</summary>
    public async Task ServeAsync()
    {
        while (true)
        {
            var end = await HeadAsync();
            if (end < 0)
            {
                return;
            }
            var head = RequestHead.Parse(received, end);
            Remove(end + 4);
            if (head == null || head.BodyLength < 0 || head.BodyLength > LargestBody)
            {
                await ResponseHead.RefuseAsync(stream, head == null || head.BodyLength < 0 ? 400 : 413);
                return;
            }
            var body = await BodyAsync((int)head.BodyLength);
            if (body == null || !await AnswerAsync(head, body))
            {
                return;
            }
        }
    }

    /// <summary>Whether the connection is to be kept.</summary>
    async Task<bool> AnswerAsync(RequestHead head, byte[] requestBody)
    {
        var body = new SocketsBody(stream, head.KeepsConnection);
        body.Environment = OwinEnvironment.Of(
            head.Method, head.Path, head.Query, head.Protocol, head.Headers, new MemoryStream(requestBody, writable: false), body);
        await app(body.Environment);
        await body.EndAsync();
        return body.KeepsConnection;
    }

    /// <summary>Where the blank line after a request's head begins; -1 where none comes any more, or the head is too long.</summary>
    async Task<int> HeadAsync()
    {
        var searched = 0;
        while (true)
        {
            for (; searched + 3 < length; searched++)
            {
                if (received[searched] == '\r' && received[searched + 1] == '\n' && received[searched + 2] == '\r' && received[searched + 3] == '\n')
                {
                    return searched;
                }
            }
            if (length == received.Length)
            {
                await ResponseHead.RefuseAsync(stream, 431);
                return -1;
            }
            var read = await stream.ReadAsync(received, length, received.Length - length);
            if (read == 0)
            {
                return -1;
            }
            length += read;
        }
    }

    /// <summary>Null where the client ends the connection within the body.</summary>
    async Task<byte[]> BodyAsync(int count)
    {
        var body = new byte[count];
        var have = Math.Min(count, length);
        Buffer.BlockCopy(received, 0, body, 0, have);
        Remove(have);
        while (have < count)
        {
            var read = await stream.ReadAsync(body, have, count - have);
            if (read == 0)
            {
                return null;
            }
            have += read;
        }
        return body;
    }

    void Remove(int count)
    {
        Buffer.BlockCopy(received, count, received, 0, length - count);
        length -= count;
    }
}
