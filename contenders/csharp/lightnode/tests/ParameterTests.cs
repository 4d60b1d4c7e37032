using System.Globalization;
using System.Net.Http.Headers;
using System.Text;

namespace LightNode.Tests;

[Tests]
static class ParameterTests
{
    public class Takes : LightNodeContract
    {
        public string Text(string s) => s;

        public string? Maybe(string? s) => s;

        public string Preset(string s = "preset") => s;

        public int Int(int i) => i;

        public int? NullableInt(int? i) => i;

        public int DefaultInt(int i = 7) => i;

        public DayOfWeek DefaultEnum(DayOfWeek day = DayOfWeek.Friday) => day;

        public DateTime DefaultDate(DateTime at = default) => at;

        public int? NullableDefault(int? i = 8) => i;

        public int[] Ints(int[] i) => i;

        public string[] Texts(string[] s) => s;

        public string Two(string a, string b) => a + "|" + b;

        public byte Byte(byte v) => v;

        public long Long(long v) => v;

        public ulong Unsigned(ulong v) => v;

        public double Double(double v) => v;

        public decimal Decimal(decimal v) => v;

        public bool Bool(bool v) => v;

        public char Char(char v) => v;

        public DateTime Date(DateTime v) => v;

        public DateTimeOffset Offset(DateTimeOffset v) => v;

        public TimeSpan Span(TimeSpan v) => v;

        public Guid Id(Guid v) => v;

        public bool Follows(CancellationToken cancellation) => cancellation.CanBeCanceled;

        [Post]
        public MyClass Body([Body] MyClass value, int more = 0) => new() { Name = value.Name, Sum = value.Sum + more };
    }

    public static async Task A_string_that_is_missing_is_400_unless_it_may_be_null()
    {
        await using var server = await TestServer.Start(null, typeof(Takes));
        await server.Expect("/Takes/Text", 400);
        await server.Expect("/Takes/Text?s=", 200, "\"\"");
        await server.Expect("/Takes/Text?s", 200, "\"\"");
        await server.Expect("/Takes/Maybe", 200, "null");
        await server.Expect("/Takes/Preset", 200, "\"preset\"");
        await using var lenient = await TestServer.Start(
            new LightNodeOptions { ParameterStringImplicitNullAsDefault = true }, typeof(Takes));
        await lenient.Expect("/Takes/Text", 200, "null");
    }

    public static async Task A_value_that_is_missing_is_400_unless_it_has_a_default_or_may_be_null()
    {
        await using var server = await TestServer.Start(null, typeof(Takes));
        await server.Expect("/Takes/Int", 400);
        await server.Expect("/Takes/Int?i=3", 200, "3");
        await server.Expect("/Takes/DefaultInt", 200, "7");
        await server.Expect("/Takes/DefaultInt?i=3", 200, "3");
        await server.Expect("/Takes/DefaultEnum", 200, "5");
        await server.Expect("/Takes/DefaultDate", 200, "\"0001-01-01T00:00:00\"");
        await server.Expect("/Takes/NullableInt", 200, "null");
        await server.Expect("/Takes/NullableInt?i=3", 200, "3");
        await server.Expect("/Takes/NullableDefault", 200, "8");
    }

    public static async Task A_value_that_cannot_be_read_is_400_whatever_the_default()
    {
        await using var server = await TestServer.Start(null, typeof(Takes));
        foreach (var text in new[] { "", "abc", "1.0", "%201", "1%20", "2147483648", "1,000", "0x1", "1e2" })
        {
            await server.Expect($"/Takes/Int?i={text}", 400);
            await server.Expect($"/Takes/DefaultInt?i={text}", 400);
            await server.Expect($"/Takes/NullableInt?i={text}", 400);
        }
    }

    public static async Task An_array_is_empty_when_missing_and_400_for_one_bad_element()
    {
        await using var server = await TestServer.Start(null, typeof(Takes));
        await server.Expect("/Takes/Ints", 200, "[]");
        await server.Expect("/Takes/Ints?i=1", 200, "[1]");
        await server.Expect("/Takes/Ints?i=1&i=2&I=3", 200, "[1,2,3]");
        await server.Expect("/Takes/Ints?i=1&i=x&i=3", 400);
        await server.Expect("/Takes/Ints?i=x", 400);
        await server.Expect("/Takes/Texts?s=a&s=&s=b", 200, "[\"a\",\"\",\"b\"]");
        var many = string.Join('&', Enumerable.Range(0, 500).Select(i => $"i={i}"));
        await server.Expect($"/Takes/Ints?{many}", 200, $"[{string.Join(',', Enumerable.Range(0, 500))}]");
        await server.Expect("/Takes/Ints", 200, "[]");
    }

    public static async Task Names_are_in_any_case_and_order_and_the_first_of_a_name_counts()
    {
        await using var server = await TestServer.Start(null, typeof(Takes));
        await server.Expect("/Takes/Two?B=2&A=1", 200, "\"1|2\"");
        await server.Expect("/Takes/Two?a=1&a=3&b=2&other=4", 200, "\"1|2\"");
        await server.Expect("/Takes/Two?a=x=y&b=%26", 200, "\"x=y|&\"");
        await server.Expect("/Takes/Two?%61=a+b&b=a%2Bb", 200, "\"a b|a+b\"");
        await server.Expect("/Takes/Two?a=%E3%81%82&b=", 200, "\"あ|\"");
    }

    public static async Task A_form_is_read_after_the_query()
    {
        await using var server = await TestServer.Start(null, typeof(Takes));
        using var form = new FormUrlEncodedContent([new("a", "form"), new("b", "form")]);
        using var response = await server.Send("POST", "/Takes/Two?a=query", form);
        Check.Equal("\"query|form\"", await response.Content.ReadAsStringAsync());
        using var array = new FormUrlEncodedContent([new("i", "2"), new("i", "3")]);
        using var appended = await server.Send("POST", "/Takes/Ints?i=1", array);
        Check.Equal("[1,2,3]", await appended.Content.ReadAsStringAsync());
        using var multipart = new MultipartFormDataContent { { new StringContent("x"), "a" }, { new StringContent("y"), "b" } };
        using var parts = await server.Send("POST", "/Takes/Two", multipart);
        Check.Equal("\"x|y\"", await parts.Content.ReadAsStringAsync());
    }

    public static async Task Values_are_read_the_same_in_any_culture()
    {
        var before = CultureInfo.DefaultThreadCurrentCulture;
        var odd = (CultureInfo)CultureInfo.InvariantCulture.Clone();
        (odd.NumberFormat.NumberDecimalSeparator, odd.NumberFormat.NegativeSign) = (",", "~");
        (odd.DateTimeFormat.DateSeparator, odd.DateTimeFormat.TimeSeparator) = ("_", "_");
        CultureInfo.DefaultThreadCurrentCulture = CultureInfo.CurrentCulture = odd;
        try
        {
            await using var server = await TestServer.Start(null, typeof(Takes));
            await server.Expect("/Takes/Double?v=-1.5", 200, "-1.5");
            await server.Expect("/Takes/Double?v=1,5", 400);
            await server.Expect("/Takes/Double?v=~1", 400);
            await server.Expect("/Takes/Decimal?v=-1.50", 200, "-1.50");
            await server.Expect("/Takes/Int?i=-1", 200, "-1");
            await server.Expect("/Takes/Date?v=2014-01-14T01:02:03Z", 200, "\"2014-01-14T01:02:03Z\"");
        }
        finally
        {
            CultureInfo.DefaultThreadCurrentCulture = before;
            CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        }
    }

    public static async Task Each_type_takes_its_own_values_only()
    {
        await using var server = await TestServer.Start(null, typeof(Takes));
        foreach (var (path, good, answer, bad) in new[]
        {
            ("Byte", "255", "255", "256"),
            ("Long", "-9223372036854775808", "-9223372036854775808", "9223372036854775808"),
            ("Unsigned", "18446744073709551615", "18446744073709551615", "-1"),
            ("Double", "1e3", "1000", "NaN"),
            ("Double", "%2B0.25", "0.25", "Infinity"),
            ("Double", ".5", "0.5", "1e999"),
            ("Decimal", "0.10", "0.10", "1e2"),
            ("Bool", "TRUE", "true", "1"),
            ("Bool", "false", "false", "%20true"),
            ("Char", "x", "\"x\"", "xy"),
            ("Date", "2014-01-14", "\"2014-01-14T00:00:00\"", "14.01.2014"),
            ("Date", "2014-01-14T01:02:03.5", "\"2014-01-14T01:02:03.5\"", "2014-13-01"),
            ("Offset", "2014-01-14T01:02%2B09:00", "\"2014-01-14T01:02:00+09:00\"", "yesterday"),
            ("Offset", "2014-01-14", "\"2014-01-14T00:00:00+00:00\"", "2014-01-14T25:00"),
            ("Span", "01:02:03", "\"01:02:03\"", "1h"),
            ("Id", "00000000-0000-0000-0000-000000000001", "\"00000000-0000-0000-0000-000000000001\"", "1"),
        })
        {
            await server.Expect($"/Takes/{path}?v={good}", 200, answer);
            await server.Expect($"/Takes/{path}?v={bad}", 400);
        }
    }

    public static async Task A_cancellation_token_follows_the_request()
    {
        await using var server = await TestServer.Start(null, typeof(Takes));
        await server.Expect("/Takes/Follows", 200, "true");
        await server.Expect("/Takes/Follows?cancellation=x", 200, "true");
    }

    public static async Task A_body_parameter_is_read_by_the_formatter_of_its_content_type()
    {
        await using var server = await TestServer.Start(
            new LightNodeOptions(AcceptVerbs.Get | AcceptVerbs.Post, new JsonContentFormatter(), new XmlContentFormatter()), typeof(Takes));
        await Expect("application/json", "{\"Name\":\"n\",\"Sum\":1}", 200, "{\"Name\":\"n\",\"Sum\":3}");
        await Expect("application/json; charset=utf-8", "{\"Name\":\"n\",\"Sum\":1}", 200, "{\"Name\":\"n\",\"Sum\":3}");
        await Expect("application/xml", "<MyClass><Name>n</Name><Sum>1</Sum></MyClass>", 200, "{\"Name\":\"n\",\"Sum\":3}");
        await Expect("application/xml", "<!DOCTYPE a [<!ENTITY b \"c\">]><MyClass><Name>&b;</Name></MyClass>", 400, null);
        await Expect("application/json", "{\"Name\":", 400, null);
        await Expect("application/json", "null", 400, null);
        await Expect("application/json", "", 400, null);
        await Expect("application/json; charset=utf-16", "{}", 415, null);
        await Expect("text/csv", "a,b", 415, null);

        async Task Expect(string type, string body, int status, string? answer)
        {
            using var content = new ByteArrayContent(Encoding.UTF8.GetBytes(body));
            content.Headers.ContentType = MediaTypeHeaderValue.Parse(type);
            using var response = await server.Send("POST", "/Takes/Body?more=2", content);
            Check.Equal(status, (int)response.StatusCode, body);
            Check.That(answer is null || await response.Content.ReadAsStringAsync() == answer, $"{body} is answered with {answer}");
        }
    }

    public static async Task A_body_that_is_too_large_is_413_also_once_it_is_expanded()
    {
        await using var server = await TestServer.Start(
            new LightNodeOptions(
                AcceptVerbs.Post, new JsonContentFormatter(), new EncodedContentFormatter(new JsonContentFormatter()), new XmlContentFormatter()),
            typeof(Takes));
        using var plain = new StringContent("{\"Name\":\"" + new string('x', 31_000_000), Encoding.UTF8, "application/json");
        using var refused = await server.Send("POST", "/Takes/Body", plain, ("Expect", "100-continue"));
        Check.Equal(413, (int)refused.StatusCode, "31 MB as they are");
        foreach (var (size, status) in new[] { (1_000, 200), (31_000_000, 413) })
        {
            using var body = Gzipped("{\"Name\":\"" + new string('x', size) + "\"}");
            using var response = await server.Send("POST", "/Takes/Body", body);
            Check.Equal(status, (int)response.StatusCode, $"{size} bytes in {body.Headers.ContentLength}");
        }
        using var broken = new ByteArrayContent([1, 2, 3]);
        broken.Headers.ContentType = new MediaTypeHeaderValue("application/json");
        broken.Headers.ContentEncoding.Add("gzip");
        using var unreadable = await server.Send("POST", "/Takes/Body", broken);
        Check.Equal(400, (int)unreadable.StatusCode, "what is not gzip");

        static ByteArrayContent Gzipped(string text)
        {
            var bytes = new MemoryStream();
            using (var gzip = new System.IO.Compression.GZipStream(bytes, System.IO.Compression.CompressionLevel.Fastest))
            {
                gzip.Write(Encoding.UTF8.GetBytes(text));
            }
            var content = new ByteArrayContent(bytes.ToArray());
            content.Headers.ContentType = new MediaTypeHeaderValue("application/json");
            content.Headers.ContentEncoding.Add("gzip");
            return content;
        }
    }

    public static async Task What_is_wrong_with_a_parameter_is_said_unless_switched_off()
    {
        await using var server = await TestServer.Start(null, typeof(Takes));
        var (_, body) = await server.Get("/Takes/Int?i=x");
        Check.Equal("{\"title\":\"Bad Request\",\"status\":400,\"detail\":\"parameter i cannot be read; expected Int32\"}", body);
        await using var silent = await TestServer.Start(new LightNodeOptions { IncludeRefusalDetails = false }, typeof(Takes));
        await silent.Expect("/Takes/Int?i=x", 400, "{\"title\":\"Bad Request\",\"status\":400}");
    }
}
