using System.Net;

namespace LightNode.Tests;

[Tests]
static class AnswerTests
{
    public class Answers : LightNodeContract
    {
        public static int Calls;

        public void Void() => Calls++;

        public async Task Task()
        {
            await System.Threading.Tasks.Task.Yield();
            Calls++;
        }

        public ValueTask ValueTask() => default;

        public string? Null() => null;

        public string Large(int n) => new('x', n);

        public int Status(int code) => throw new ReturnStatusCodeException(code);

        public async Task<int> Later(int code)
        {
            await System.Threading.Tasks.Task.Yield();
            throw new ReturnStatusCodeException((HttpStatusCode)code, "As It Is", new MyClass { Name = "n" }, headers: headers => headers["X-Why"] = "so");
        }

        public int Text() => throw new ReturnStatusCodeException(402, content: "pay", contentFormatter: new TextContentFormatter());

        public int NoBody() => throw new ReturnStatusCodeException(304, content: "not sent");

        public Unwritable Unwritable() => new();
    }

    public class Unwritable
    {
        public string Before => new('x', 100_000);

        public string Breaks => throw new InvalidOperationException("secret");
    }

    public static async Task Void_and_Task_are_204()
    {
        await using var server = await TestServer.Start(null, typeof(Answers));
        Answers.Calls = 0;
        foreach (var operation in new[] { "Void", "Task", "ValueTask" })
        {
            using var response = await server.Send("GET", $"/Answers/{operation}");
            Check.Equal((204, null), ((int)response.StatusCode, response.Content.Headers.ContentType), operation);
        }
        Check.Equal(2, Answers.Calls, "calls");
        await server.Expect("/Answers/Null", 200, "null");
    }

    public static async Task ReturnStatusCodeException_sends_its_status_content_phrase_and_headers()
    {
        await using var server = await TestServer.Start(null, typeof(Answers));
        foreach (var code in new[] { 200, 304, 404, 418, 503, 599 })
        {
            await server.Expect($"/Answers/Status?code={code}", code, "");
        }
        using var later = await server.Send("GET", "/Answers/Later?code=409");
        Check.Equal("409 As It Is so", $"{(int)later.StatusCode} {later.ReasonPhrase} {later.Headers.GetValues("X-Why").Single()}");
        Check.Equal("{\"Name\":\"n\",\"Sum\":0}", await later.Content.ReadAsStringAsync());
        await server.Expect("/Answers/Text", 402, "pay");
        await server.Expect("/Answers/NoBody", 304, "");
        Check.Throws<ArgumentOutOfRangeException>(() => _ = new ReturnStatusCodeException(600), "expected a status code of 200 to 599");
        Check.Throws<ArgumentException>(() => _ = new ReturnStatusCodeException(400, "a\r\nb"), "expected printable ASCII");
    }

    public static async Task Buffered_writing_sends_the_length_and_direct_writing_does_not()
    {
        foreach (var option in new[] { WriteOption.Buffered, WriteOption.Direct })
        {
            await using var server = await TestServer.Start(new LightNodeOptions { WriteOption = option }, typeof(Answers));
            foreach (var n in new[] { 0, 10, 5_000, 1_000_000, 3 })
            {
                using var request = new HttpRequestMessage(HttpMethod.Get, $"/Answers/Large?n={n}");
                using var response = await server.Client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead);
                var isChunked = response.Headers.TransferEncodingChunked == true;
                Check.Equal(option == WriteOption.Direct, isChunked, $"{option}, {n}");
                Check.Equal(isChunked ? null : n + 2, response.Content.Headers.ContentLength, $"{option}, {n}");
                Check.Equal($"\"{new string('x', n)}\"", await response.Content.ReadAsStringAsync(), $"{option}, {n}");
            }
        }
    }

    public static async Task A_result_that_cannot_be_written_is_500_when_buffered()
    {
        await using var server = await TestServer.Start(null, typeof(Answers));
        await server.Expect("/Answers/Unwritable", 500, "{\"title\":\"Internal Server Error\",\"status\":500}");
        await server.Expect("/Answers/Large?n=1", 200, "\"x\"");
    }
}
