using System;
using System.Collections.Generic;
using System.Globalization;
using System.Net;
using System.Text;

sealed class RequestHead
{
    static readonly Encoding latin1 = Encoding.GetEncoding("ISO-8859-1");

    public string Method { get; private set; }

    public string Path { get; private set; }

    public string Query { get; private set; }

    public string Protocol { get; private set; }

    public Dictionary<string, string[]> Headers { get; } = OwinEnvironment.NewHeaders();

    /// <summary>Below 0 where it cannot be known.</summary>
    public long BodyLength
    {
        get
        {
            if (Headers.ContainsKey("Transfer-Encoding"))
            {
                return -1;
            }
            if (!Headers.TryGetValue("Content-Length", out var values))
            {
                return 0;
            }
            var parsed = long.TryParse(values[0], NumberStyles.None, CultureInfo.InvariantCulture, out var length);
            return parsed && values.Length == 1 ? length : -1;
        }
    }

    public bool KeepsConnection
    {
        get
        {
            var connection = Headers.TryGetValue("Connection", out var values) ? values[0] : "";
            return Protocol == "HTTP/1.1"
                ? !connection.Equals("close", StringComparison.OrdinalIgnoreCase)
                : connection.Equals("keep-alive", StringComparison.OrdinalIgnoreCase);
        }
    }

    /// <summary>Null where it is none of HTTP/1.</summary>
    public static RequestHead Parse(byte[] bytes, int count)
    {
        var lines = latin1.GetString(bytes, 0, count).Split(new[] { "\r\n" }, StringSplitOptions.None);
        var parts = lines[0].Split(' ');
        if (parts.Length != 3 || !parts[1].StartsWith("/", StringComparison.Ordinal) || !parts[2].StartsWith("HTTP/1.", StringComparison.Ordinal))
        {
            return null;
        }
        var mark = parts[1].IndexOf('?');
        var head = new RequestHead
        {
            Method = parts[0],
            // OWIN's path is decoded, its query is not. A plus sign is itself in a path.
            Path = Decoded(mark < 0 ? parts[1] : parts[1].Substring(0, mark)),
            Query = mark < 0 ? "" : parts[1].Substring(mark + 1),
            Protocol = parts[2]
        };
        for (var i = 1; i < lines.Length; i++)
        {
            var colon = lines[i].IndexOf(':');
            if (colon <= 0)
            {
                return null;
            }
            head.Add(lines[i].Substring(0, colon), lines[i].Substring(colon + 1).Trim());
        }
        return head;
    }

    static string Decoded(string path)
    {
        return path.IndexOf('%') < 0 ? path : WebUtility.UrlDecode(path.Replace("+", "%2B"));
    }

    void Add(string name, string value)
    {
        if (!Headers.TryGetValue(name, out var values))
        {
            Headers[name] = new[] { value };
            return;
        }
        Array.Resize(ref values, values.Length + 1);
        values[values.Length - 1] = value;
        Headers[name] = values;
    }
}
