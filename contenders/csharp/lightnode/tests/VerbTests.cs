namespace LightNode.Tests;

[Tests]
static class VerbTests
{
    public class Verbal : LightNodeContract
    {
        public int Default() => 1;

        [Put, Delete]
        public int Changed() => 2;

        [OperationOption(AcceptVerbs.Patch)]
        public int Patched() => 3;
    }

    [OperationOption(AcceptVerbs.Post)]
    public class Posted : LightNodeContract
    {
        public int Inherits() => 4;

        [Get]
        public int Overrides() => 5;
    }

    public static async Task Verbs_are_the_options_unless_class_or_method_says_otherwise()
    {
        await using var server = await TestServer.Start(null, typeof(Verbal), typeof(Posted));
        await Expect(server, "/Verbal/Default", "GET", "POST");
        await Expect(server, "/Verbal/Changed", "PUT", "DELETE");
        await Expect(server, "/Verbal/Patched", "PATCH");
        await Expect(server, "/Posted/Inherits", "POST");
        await Expect(server, "/Posted/Overrides", "GET");
        await using var deleting = await TestServer.Start(
            new LightNodeOptions(AcceptVerbs.Delete, new JsonContentFormatter()), typeof(Verbal));
        await Expect(deleting, "/Verbal/Default", "DELETE");
    }

    public static async Task Other_verbs_get_405_with_those_that_are_allowed()
    {
        await using var server = await TestServer.Start(null, typeof(Verbal));
        using var response = await server.Send("PUT", "/Verbal/Default");
        Check.Equal(405, (int)response.StatusCode);
        Check.Equal("GET, POST", string.Join(", ", response.Content.Headers.Allow));
    }

    static async Task Expect(TestServer server, string path, params string[] verbs)
    {
        foreach (var verb in new[] { "GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE" })
        {
            using var response = await server.Send(verb, path);
            Check.Equal(verbs.Contains(verb) ? 200 : 405, (int)response.StatusCode, $"{verb} {path}");
        }
    }
}
