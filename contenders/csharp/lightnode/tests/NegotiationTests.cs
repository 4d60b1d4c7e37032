using System.IO.Compression;
using System.Text;

namespace LightNode.Tests;

[Tests]
static class NegotiationTests
{
    public class Kinds : LightNodeContract
    {
        public MyClass Value() => new() { Name = "ほ", Sum = 3 };

        [OperationOption(typeof(TextContentFormatter))]
        public double Forced() => 1.5;

        [OperationOption(AcceptVerbs.Get, typeof(OctetStreamContentFormatter))]
        public byte[] Bytes() => [0, 255];

        [OperationOption(typeof(HtmlContentFormatter))]
        public string Page() => "<p>ほ</p>";
    }

    static LightNodeOptions All(bool refuse = false) => new(
        AcceptVerbs.Get,
        new JsonContentFormatter(ext: "json|js"),
        new XmlContentFormatter(),
        new HtmlContentFormatter(),
        new EncodedContentFormatter(new JsonContentFormatter(ext: "json|js")),
        new EncodedContentFormatter(new JsonContentFormatter(ext: "json|js"), "br"))
    {
        RefuseUnacceptable = refuse,
    };

    public static async Task An_extension_picks_the_formatter_and_one_that_is_unknown_is_406()
    {
        await using var server = await TestServer.Start(All(), typeof(Kinds));
        await Expect(server, "/Kinds/Value.json", null, "application/json; charset=utf-8");
        await Expect(server, "/Kinds/Value.JS", null, "application/json; charset=utf-8");
        await Expect(server, "/Kinds/Value.xml", "application/json", "application/xml; charset=utf-8");
        await Expect(server, "/Kinds/Value.htm", null, "text/html; charset=utf-8");
        await Expect(server, "/Kinds/Value.html", null, "text/html; charset=utf-8");
        foreach (var extension in new[] { "zip", "", "json|js", "x.json" })
        {
            var status = (await server.Get($"/Kinds/Value.{Uri.EscapeDataString(extension)}")).Status;
            Check.Equal(extension == "x.json" ? 404 : 406, status, extension);
        }
    }

    public static async Task Accept_picks_by_quality_then_by_place_and_else_the_default_answers()
    {
        await using var server = await TestServer.Start(All(), typeof(Kinds));
        foreach (var (accept, type) in new[]
        {
            (null, "json"), ("*/*", "json"), ("application/xml", "xml"), ("image/png, application/xml", "xml"),
            ("application/json;q=0.5, application/xml", "xml"), ("application/xml;q=0.5, application/json;q=0.6", "json"),
            ("application/xml, application/json", "xml"), ("text/*", "html"), ("text/*;q=0.1, */*;q=0.2", "json"),
            ("application/json;q=0, */*", "xml"), ("APPLICATION/XML", "xml"), ("image/png", "json"), ("nonsense;;", "json"),
        })
        {
            await Expect(server, "/Kinds/Value", accept, (type == "html" ? "text/" : "application/") + type + "; charset=utf-8");
        }
    }

    public static async Task Nothing_acceptable_is_406_where_the_option_says_so()
    {
        await using var server = await TestServer.Start(All(refuse: true), typeof(Kinds));
        using var refused = await server.Send("GET", "/Kinds/Value", null, ("Accept", "image/png"));
        Check.Equal(406, (int)refused.StatusCode);
        await Expect(server, "/Kinds/Value", "image/png, */*;q=0.1", "application/json; charset=utf-8");
        await using var single = await TestServer.Start(new LightNodeOptions { RefuseUnacceptable = true }, typeof(Kinds));
        using var alone = await single.Send("GET", "/Kinds/Value", null, ("Accept", "text/html"));
        Check.Equal(406, (int)alone.StatusCode);
    }

    public static async Task Accept_Encoding_picks_among_formatters_of_one_type()
    {
        await using var server = await TestServer.Start(All(), typeof(Kinds));
        foreach (var (accept, encoding) in new[]
        {
            (null, ""), ("gzip", "gzip"), ("br, gzip;q=0.5", "br"), ("gzip;q=0", ""), ("*", "gzip"), ("identity;q=0.9, gzip;q=0.1", ""), ("zstd", ""),
        })
        {
            using var response = await server.Send("GET", "/Kinds/Value", null, accept is null ? [] : [("Accept-Encoding", accept)]);
            Check.Equal(encoding, string.Join(",", response.Content.Headers.ContentEncoding), $"Accept-Encoding: {accept}");
            Check.Equal("Accept, Accept-Encoding", response.Headers.Vary.Aggregate((a, b) => $"{a}, {b}"));
            using var body = await response.Content.ReadAsStreamAsync();
            using var plain = encoding switch
            {
                "gzip" => new GZipStream(body, CompressionMode.Decompress),
                "br" => new BrotliStream(body, CompressionMode.Decompress),
                _ => body,
            };
            Check.Equal("{\"Name\":\"ほ\",\"Sum\":3}", await new StreamReader(plain).ReadToEndAsync());
        }
    }

    public static async Task A_formatter_of_the_operation_comes_before_all()
    {
        await using var server = await TestServer.Start(All(), typeof(Kinds));
        await Expect(server, "/Kinds/Forced", "application/json", "text/plain; charset=utf-8");
        await server.Expect("/Kinds/Forced", 200, "1.5");
        await server.Expect("/Kinds/Forced.txt", 200, "1.5");
        await server.Expect("/Kinds/Forced.json", 406);
        await Expect(server, "/Kinds/Bytes", null, "application/octet-stream");
        Check.Equal("00FF", Convert.ToHexString(await server.Client.GetByteArrayAsync("/Kinds/Bytes")));
        await server.Expect("/Kinds/Page", 200, "<p>ほ</p>");
    }

    public static async Task An_encoding_of_characters_is_used_and_named()
    {
        await using var server = await TestServer.Start(
            new LightNodeOptions(AcceptVerbs.Get, new TextContentFormatter(encoding: Encoding.Latin1), new XmlContentFormatter(Encoding.Unicode)),
            typeof(Latin));
        await Expect(server, "/Latin/Text", null, "text/plain; charset=iso-8859-1");
        Check.Equal("E9", Convert.ToHexString(await server.Client.GetByteArrayAsync("/Latin/Text")));
        await Expect(server, "/Latin/Text.xml", null, "application/xml; charset=utf-16");
    }

    public class Latin : LightNodeContract
    {
        public string Text() => "é";
    }

    static async Task Expect(TestServer server, string path, string? accept, string type)
    {
        using var response = await server.Send("GET", path, null, accept is null ? [] : [("Accept", accept)]);
        Check.Equal(200, (int)response.StatusCode, path);
        Check.Equal(type, response.Content.Headers.ContentType?.ToString(), $"{path}, Accept: {accept}");
    }
}
