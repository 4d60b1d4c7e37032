namespace LightNode.Tests;

[Tests]
static class MiddlewareTests
{
    public class Passes : LightNodeContract
    {
        public int Number(int i) => i;

        public int Throw() => throw new InvalidOperationException("thrown");
    }

    public static async Task What_is_not_answered_passes_through_where_the_option_says_so()
    {
        foreach (var (statuses, passed) in new (int[], string[])[]
        {
            ([], []), ([404], ["/Other/Any"]), ([404, 400, 405, 406], ["/Other/Any", "/Passes/Number?i=x", "/Passes/Throw.zip"]),
        })
        {
            var options = new LightNodeOptions { PassThroughWhenStatusCodesAre = statuses };
            await using var server = await TestServer.Start(app =>
            {
                app.UseLightNode(options, Contracts.Of(options, typeof(Passes)));
                app.Run(context => context.Response.WriteAsync("other"));
            });
            foreach (var (path, status) in new[] { ("/Other/Any", 404), ("/Passes/Number?i=x", 400), ("/Passes/Throw.zip", 406) })
            {
                var answer = await server.Get(path);
                Check.Equal(passed.Contains(path) ? 200 : status, answer.Status, path);
                Check.Equal(passed.Contains(path), answer.Body == "other", path);
            }
            using var verb = await server.Send("PUT", "/Passes/Number?i=1");
            Check.Equal(statuses.Contains(405) ? 200 : 405, (int)verb.StatusCode);
            await server.Expect("/Passes/Number?i=1", 200, "1");
        }
    }

    public static async Task It_answers_below_a_path_as_versions_of_an_interface_do()
    {
        var options = new LightNodeOptions();
        await using var server = await TestServer.Start(app =>
        {
            app.Map("/v1", v1 => v1.UseLightNode(options, Contracts.Of(options, typeof(Passes))));
            app.Map("/v2", v2 => v2.UseLightNode(options, Contracts.Of(options, typeof(ContractTests.Plain))));
        });
        await server.Expect("/v1/Passes/Number?i=1", 200, "1");
        await server.Expect("/v2/Plain/Hello?name=x", 200, "\"hello x\"");
        await server.Expect("/v2/Passes/Number?i=1", 404);
    }

    sealed class Watcher(List<string> seen) : OperationCoordinator
    {
        public override bool OnStartProcessRequest(HttpContext context)
        {
            seen.Add($"start {context.Request.Path}");
            return context.Request.Path != "/not/ours";
        }

        public override void OnProcessInterrupt(HttpContext context, InterruptReason reason, string detail) => seen.Add($"{reason}");

        public override IReadOnlyList<LightNodeFilterAttribute> GetFilters(
            OperationContext context, IReadOnlyList<LightNodeFilterAttribute> filters) => filters.Take(1).ToArray();

        public override async Task ExecuteOperation(OperationContext context, Func<Task> operation)
        {
            seen.Add($"execute {context.OperationName}");
            await operation();
            seen.Add("done");
        }
    }

    public static async Task A_coordinator_watches_each_request_and_stands_around_its_operation()
    {
        var seen = new List<string>();
        var options = new LightNodeOptions { OperationCoordinatorFactory = () => new Watcher(seen) };
        foreach (var name in new[] { "one", "two" })
        {
            options.Filters.Add((_, next) =>
            {
                seen.Add(name);
                return next();
            });
        }
        await using var server = await TestServer.Start(app =>
        {
            app.UseLightNode(options, Contracts.Of(options, typeof(Passes)));
            app.Run(context => context.Response.WriteAsync("other"));
        });
        await server.Expect("/Passes/Number?i=1", 200, "1");
        Check.Equal("start /Passes/Number, one, execute Number, done", string.Join(", ", seen));
        seen.Clear();
        await server.Expect("/not/ours", 200, "other");
        await server.Expect("/none/here", 404);
        await server.Expect("/Passes/Number?i=x", 400);
        await server.Expect("/Passes/Number.zip?i=1", 406);
        Check.Equal(
            "start /not/ours, start /none/here, OperationMissing, start /Passes/Number, ParameterBindFailed, start /Passes/Number.zip, NegotiationFailed",
            string.Join(", ", seen));
    }

    sealed class Notes(List<string> notes) : LightNodeLogger
    {
        public override void Registered(OperationInfo operation) => notes.Add($"registered {operation.Path}");

        public override void Started(int operations, TimeSpan elapsed) => notes.Add($"started {operations} {elapsed >= TimeSpan.Zero}");

        public override void Interrupted(HttpContext context, InterruptReason reason, string detail) => notes.Add($"{reason}: {detail}");

        public override void ExecuteStarted(HttpContext context, OperationInfo operation) => notes.Add("execute");

        public override void ExecuteFinished(HttpContext context, OperationInfo operation, bool interrupted, TimeSpan elapsed) =>
            notes.Add($"finished {interrupted}");

        public override void ExceptionThrown(HttpContext context, OperationInfo operation, Exception exception) => notes.Add(exception.Message);
    }

    public static async Task A_logger_is_told_what_happens()
    {
        var notes = new List<string>();
        await using var server = await TestServer.Start(new LightNodeOptions { Logger = new Notes(notes) }, typeof(Passes));
        Check.Equal("registered /Passes/Number, registered /Passes/Throw, started 2 True", string.Join(", ", notes));
        notes.Clear();
        await server.Expect("/Passes/Number?i=1", 200, "1");
        await server.Expect("/Passes/Throw", 500);
        await server.Expect("/Passes/Number", 400);
        Check.Equal(
            "execute, finished False, execute, finished True, thrown, ParameterBindFailed: parameter i is missing; expected Int32",
            string.Join(", ", notes));
    }

    public static async Task HostLogger_hands_them_to_the_logging_of_the_host()
    {
        var lines = new Lines();
        await using var server = await TestServer.Start(new LightNodeOptions { Logger = new HostLogger(lines) }, typeof(Passes));
        await server.Expect("/Passes/Throw", 500);
        Check.That(lines.Seen.Contains("Error: operation /Passes/Throw threw"), string.Join("; ", lines.Seen));
        Check.That(lines.Seen.Any(line => line.StartsWith("Information: 2 operations made ready", StringComparison.Ordinal)), "the start is told");
    }

    sealed class Lines : ILogger
    {
        public List<string> Seen { get; } = [];

        public IDisposable? BeginScope<TState>(TState state) where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel level, EventId id, TState state, Exception? exception, Func<TState, Exception?, string> format) =>
            Seen.Add($"{level}: {format(state, exception)}");
    }

    public static async Task HttpListener_serves_without_Kestrel()
    {
        var options = new LightNodeOptions();
        await using var server = await TestServer.Start(
            app => app.UseLightNode(options, Contracts.Of(options, typeof(Passes), typeof(ParameterTests.Takes), typeof(AnswerTests.Answers))),
            new HttpListenerServer(),
            $"http://127.0.0.1:{FreePort()}");
        await server.Expect("/Passes/Number?i=1", 200, "1");
        await server.Expect("/Passes/Throw", 500);
        await server.Expect("/Passes/Number", 400);
        await server.Expect("/Answers/Void", 204, "");
        await server.Expect("/Answers/Large?n=100000", 200, $"\"{new string('x', 100_000)}\"");
        await server.Expect("/Answers/Text", 402, "pay");
        using var head = await server.Send("HEAD", "/Passes/Number?i=1");
        Check.Equal(405, (int)head.StatusCode);
        await server.Expect("/Passes/Number?i=2", 200, "2");
        using var form = new FormUrlEncodedContent([new("a", "form"), new("b", "é")]);
        using var response = await server.Send("POST", "/Takes/Two?a=query", form);
        Check.Equal("\"query|é\"", await response.Content.ReadAsStringAsync());
    }

    static int FreePort()
    {
        using var listener = new System.Net.Sockets.TcpListener(System.Net.IPAddress.Loopback, 0);
        listener.Start();
        return ((System.Net.IPEndPoint)listener.LocalEndpoint).Port;
    }
}
