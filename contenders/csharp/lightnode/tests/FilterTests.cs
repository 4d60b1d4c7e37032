namespace LightNode.Tests;

[Tests]
static class FilterTests
{
    /// <summary>Notes its name on the way in and out in a header of the answer.</summary>
    [AttributeUsage(AttributeTargets.Class | AttributeTargets.Method, AllowMultiple = true)]
    public sealed class NoteAttribute(string name) : LightNodeFilterAttribute
    {
        public override async Task Invoke(OperationContext context, Func<Task> next)
        {
            context.HttpContext.Response.Headers.Append("Trace", name);
            await next();
        }
    }

    public sealed class CancelAttribute : LightNodeFilterAttribute
    {
        public override Task Invoke(OperationContext context, Func<Task> next)
        {
            context.HttpContext.Response.StatusCode = 403;
            return Task.CompletedTask;
        }
    }

    public sealed class CatchAttribute : LightNodeFilterAttribute
    {
        public override async Task Invoke(OperationContext context, Func<Task> next)
        {
            try
            {
                await next();
            }
            catch (DivideByZeroException)
            {
                context.HttpContext.Response.StatusCode = 418;
            }
        }
    }

    [Note("class1"), Note("class2", Order = int.MaxValue)]
    public class Filtered : LightNodeContract
    {
        public static int Calls;

        [Note("method1"), Note("method2"), Note("early", Order = -5), Note("first", Order = int.MinValue + 1)]
        public int Ordered() => 1;

        [Cancel]
        public int Cancelled() => ++Calls;

        [Catch]
        public int Caught(int by) => 1 / by;

        [System.ComponentModel.Description("described")]
        public string Known(string a, int b = 2, int[]? c = null) => a;
    }

    [Note("never", Order = int.MinValue)]
    internal class OutOfOrder : LightNodeContract
    {
        public int Any() => 1;
    }

    public static async Task Filters_run_by_order_then_global_contract_operation()
    {
        var options = new LightNodeOptions();
        options.Filters.Add(new NoteAttribute("global1")).Add(new NoteAttribute("global2"));
        options.Filters.Add(
            (context, next) =>
            {
                context.HttpContext.Response.Headers.Append("Trace", "function");
                return next();
            },
            order: -5);
        await using var server = await TestServer.Start(options, typeof(Filtered));
        using var response = await server.Send("GET", "/Filtered/Ordered");
        Check.Equal(
            "first function early global1 global2 class1 class2 method1 method2",
            string.Join(' ', response.Headers.GetValues("Trace")));
        Check.Equal("1", await response.Content.ReadAsStringAsync());
    }

    public static Task The_order_int_MinValue_stops_the_start()
    {
        var options = new LightNodeOptions();
        Check.Throws<InvalidOperationException>(
            () => new LightNodeServer(_ => Task.CompletedTask, Contracts.Of(options, typeof(OutOfOrder)), options),
            "/OutOfOrder/Any: a filter's Order is int.MinValue");
        return Task.CompletedTask;
    }

    public static async Task A_filter_that_does_not_call_next_cancels()
    {
        await using var server = await TestServer.Start(null, typeof(Filtered));
        await server.Expect("/Filtered/Cancelled", 403, "");
        Check.Equal(0, Filtered.Calls);
    }

    public static async Task A_filter_sees_what_the_operation_throws()
    {
        await using var server = await TestServer.Start(null, typeof(Filtered));
        await server.Expect("/Filtered/Caught?by=1", 200, "1");
        await server.Expect("/Filtered/Caught?by=0", 418, "");
    }

    public static async Task Filters_run_after_binding()
    {
        await using var server = await TestServer.Start(null, typeof(Filtered));
        using var response = await server.Send("GET", "/Filtered/Caught?by=x");
        Check.Equal(400, (int)response.StatusCode);
        Check.That(!response.Headers.Contains("Trace"), "no filter ran");
    }

    public static async Task A_filter_knows_operation_parameters_and_attributes()
    {
        OperationContext? seen = null;
        var options = new LightNodeOptions();
        options.Filters.Add((context, next) =>
        {
            seen = context;
            return next();
        });
        await using var server = await TestServer.Start(options, typeof(Filtered));
        await server.Expect("/Filtered/Known?a=x&c=1&c=2", 200, "\"x\"");
        Check.Equal("Filtered Known Get", $"{seen!.ContractName} {seen.OperationName} {seen.Verb}");
        Check.Equal("a b c", string.Join(' ', seen.ParameterNames));
        Check.Equal("x 2", $"{seen.Parameters[0]} {seen.Parameters[1]}");
        Check.Equal("1 2", string.Join(' ', (int[])seen.Parameters[2]!));
        Check.Equal("application/json", seen.ContentFormatter.MediaType);
        Check.That(seen.IsAttributeDefined<System.ComponentModel.DescriptionAttribute>(), "an attribute of the method is known");
        Check.That(!seen.IsAttributeDefined<ObsoleteAttribute>(), "another is not");
        Check.Equal(2, seen.GetAttributes<NoteAttribute>().Count(), "attributes of the class");
        Check.That(seen.GetAllAttributes().Count >= 3, "all attributes are known");
    }
}
