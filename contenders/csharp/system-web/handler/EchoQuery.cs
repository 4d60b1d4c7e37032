using System.Collections.Specialized;
using System.Globalization;
using System.Text;
using Newtonsoft.Json;

static class EchoQuery
{
    /// <summary>The JSON that answers the query, or null where a parameter is not as it should be.</summary>
    public static byte[] Answer(NameValueCollection query)
    {
        var name = query["name"];
        var x = Integer(query["x"]);
        var y = Integer(query["y"]);
        var e = Integer(query["e"]);
        var size = query["size"] == null ? 0 : Integer(query["size"]);
        if (name == null || x == null || y == null || e == null || e < 2 || e > 4 || size == null || size > Echoed.LargestSize)
        {
            return null;
        }
        var echoed = Echoed.Of(name, x.Value, y.Value, (Factor)e, size.Value);
        return Encoding.UTF8.GetBytes(JsonConvert.SerializeObject(echoed));
    }

    static int? Integer(string text)
    {
        var parsed = int.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var number);
        return parsed ? number : (int?)null;
    }
}
