using System;
using System.Collections.Specialized;
using System.Globalization;
using System.Text;

sealed class Echoed
{
    public string Name { get; set; }

    public long Sum { get; set; }
}

static class Echo
{
    const int LargestSize = 16 * 1024 * 1024;

    /// <summary>The JSON that answers the query, or null where a parameter is not as it should be.</summary>
    public static byte[] Answer(NameValueCollection query)
    {
        var name = query["name"];
        var x = Integer(query["x"]);
        var y = Integer(query["y"]);
        var e = Integer(query["e"]);
        var size = query["size"] == null ? 0 : Integer(query["size"]);
        if (name == null || x == null || y == null || e == null || e < 2 || e > 4 || size == null || size > LargestSize)
        {
            return null;
        }
        var echoed = new Echoed { Name = name, Sum = ((long)x + (long)y) * (long)e };
        if (size > 0)
        {
            var missing = (int)size - Json(echoed).Length;
            echoed.Name += new string('x', Math.Max(0, missing));
        }
        return Json(echoed);
    }

    static byte[] Json(Echoed echoed)
    {
#if NEWTONSOFT
        return Encoding.UTF8.GetBytes(Newtonsoft.Json.JsonConvert.SerializeObject(echoed));
#else
        return System.Text.Json.JsonSerializer.SerializeToUtf8Bytes(echoed);
#endif
    }

    static int? Integer(string text)
    {
        var parsed = int.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var number);
        return parsed ? number : (int?)null;
    }
}
