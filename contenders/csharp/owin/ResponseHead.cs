using System;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Text;
using System.Threading.Tasks;

static class ResponseHead
{
    // Formatting a date for each answer would cost more than the rest of the head.
    static Tuple<long, string> date = Tuple.Create(0L, "");

    public static byte[] Of(int status, IDictionary<string, string[]> headers, bool keepsConnection)
    {
        var text = new StringBuilder(256);
        text.Append("HTTP/1.1 ").Append(status).Append(' ').Append((HttpStatusCode)status).Append("\r\nDate: ").Append(Date()).Append("\r\n");
        foreach (var header in headers)
        {
            foreach (var value in header.Value)
            {
                text.Append(header.Key).Append(": ").Append(value).Append("\r\n");
            }
        }
        text.Append(keepsConnection ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n");
        return Encoding.ASCII.GetBytes(text.ToString());
    }

    /// <summary>For a request that cannot be handed to the application; the connection is not kept after it.</summary>
    public static Task RefuseAsync(Stream stream, int status)
    {
        var headers = OwinEnvironment.NewHeaders();
        headers["Content-Length"] = new[] { "0" };
        var head = Of(status, headers, keepsConnection: false);
        return stream.WriteAsync(head, 0, head.Length);
    }

    static string Date()
    {
        var now = DateTime.UtcNow;
        var second = now.Ticks / TimeSpan.TicksPerSecond;
        var known = date;
        if (known.Item1 != second)
        {
            date = known = Tuple.Create(second, now.ToString("R"));
        }
        return known.Item2;
    }
}
