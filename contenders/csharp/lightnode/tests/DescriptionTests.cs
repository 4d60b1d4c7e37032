using System.Text.Json.Nodes;

namespace LightNode.Tests;

[Tests]
static class DescriptionTests
{
    public static async Task A_document_describes_each_operation_with_each_verb()
    {
        await using var server = await Start();
        var document = JsonNode.Parse(await server.Client.GetStringAsync("/docs/api/openapi.json"))!;
        Check.Equal("3.1.0", (string?)document["openapi"]);
        var described = document["paths"]!.AsObject()
            .SelectMany(path => path.Value!.AsObject().Select(verb => $"{verb.Key} {path.Key}"))
            .Order(StringComparer.Ordinal);
        var expected = Things.Operations
            .SelectMany(operation => Verbs.Each(operation.Verbs).Select(verb => $"{verb.ToString().ToLowerInvariant()} {operation.Path}"))
            .Order(StringComparer.Ordinal);
        Check.Equal(string.Join('\n', expected), string.Join('\n', described));
    }

    public static Task A_document_tells_what_is_required_defined_and_answered()
    {
        var document = OpenApiDocument.Of(Things.Operations, Things.Options, "Things", "1");
        var echo = document["paths"]!["/Perf/Echo"]!["get"]!;
        var parameters = echo["parameters"]!.AsArray().ToDictionary(one => (string)one!["name"]!, one => one!);
        Check.Equal("name x y e size", string.Join(' ', parameters.Keys));
        Check.Equal(
            "True True True True False", string.Join(' ', parameters.Values.Select(one => (bool)one["required"]!)), "required");
        Check.Equal("[2,3,4]", parameters["e"]["schema"]!["enum"]!.ToJsonString());
        Check.Equal("0", parameters["size"]["schema"]!["default"]!.ToJsonString());
        Check.Equal(
            "{\"$ref\":\"#/components/schemas/MyClass\"}", echo["responses"]!["200"]!["content"]!["application/json"]!["schema"]!.ToJsonString());
        Check.That(document["paths"]!["/Perf/Void"]!["get"]!["responses"]!["204"] is not null, "void is 204");
        var form = document["paths"]!["/Things/Posted"]!["post"]!["requestBody"]!["content"]!["application/x-www-form-urlencoded"]!["schema"]!;
        Check.Equal("array", (string?)form["properties"]!["texts"]!["type"]);
        var thing = document["components"]!["schemas"]!["Thing"]!;
        Check.Equal("[\"Name\"]", thing["required"]!.ToJsonString());
        Check.Equal("{\"$ref\":\"#/components/schemas/Thing\"}", thing["properties"]!["Parts"]!["items"]!.ToJsonString());
        Check.Equal("[\"Small\",\"Large\"]", document["components"]!["schemas"]!["Size"]!["enum"]!.ToJsonString());
        return Task.CompletedTask;
    }

    public static async Task A_page_lists_each_operation_and_leads_to_the_document()
    {
        await using var server = await Start();
        var page = await server.Client.GetStringAsync("/docs/api");
        foreach (var operation in Things.Operations)
        {
            Check.That(page.Contains($"<code>{operation.Path}</code>", StringComparison.Ordinal), operation.Path);
        }
        Check.That(page.Contains("&lt;Things &amp; more&gt;", StringComparison.Ordinal), "the title is text and not HTML");
        var link = page.Split("href=\"")[1].Split('"')[0];
        var target = new Uri(new Uri(server.Address + "/docs/api"), link);
        Check.Equal(200, (int)(await server.Client.GetAsync(target)).StatusCode, target.AbsolutePath);
        await server.Expect("/Perf/Echo?name=n&x=1&y=2&e=3", 200, "{\"Name\":\"n\",\"Sum\":9}");
    }

    public static Task Clients_need_JSON_and_types_need_names_of_their_own()
    {
        Check.Throws<InvalidOperationException>(
            () => CSharpClient.Generate([], new LightNodeOptions(AcceptVerbs.Get, new TextContentFormatter())), "no JsonContentFormatter");
        Check.Throws<InvalidOperationException>(
            () => TypeScriptClient.Generate(Contracts.Of(new LightNodeOptions(), typeof(Twins)), new LightNodeOptions()),
            "would both be called Twin");
        var code = CSharpClient.Generate(Things.Operations, Things.Options);
        Check.That(!code.Contains("Hidden", StringComparison.Ordinal), "[IgnoreClientGenerate] leaves an operation out");
        return Task.CompletedTask;
    }

    public class One
    {
        public class Twin;
    }

    public class Other
    {
        public class Twin;
    }

    internal class Twins : LightNodeContract
    {
        public One.Twin First() => new();

        public Other.Twin Second() => new();
    }

    static Task<TestServer> Start() => TestServer.Start(app => app.Map("/docs", docs => docs.UseLightNodeDescription(
        Things.Options, Things.Operations, title: "<Things & more>")).UseLightNode(Things.Options, Things.Operations));
}
