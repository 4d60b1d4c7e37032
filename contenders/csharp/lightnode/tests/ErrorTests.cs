namespace LightNode.Tests;

[Tests]
static class ErrorTests
{
    public class Throws : LightNodeContract
    {
        public int Now() => throw new InvalidOperationException("secret");

        public async Task<int> Later()
        {
            await Task.Yield();
            throw new InvalidOperationException("secret");
        }

        public Task<int> Lost() => null!;
    }

    public static async Task An_error_is_500_without_a_word_of_it_by_default()
    {
        await using var server = await TestServer.Start(null, typeof(Throws));
        foreach (var operation in new[] { "Now", "Later", "Lost" })
        {
            await server.Expect($"/Throws/{operation}", 500, "{\"title\":\"Internal Server Error\",\"status\":500}");
        }
    }

    public static async Task An_error_is_told_where_the_option_says_so()
    {
        await using var server = await TestServer.Start(
            new LightNodeOptions { ErrorHandlingPolicy = ErrorHandlingPolicy.ReturnInternalServerErrorIncludeErrorDetails }, typeof(Throws));
        foreach (var operation in new[] { "Now", "Later" })
        {
            var (status, body) = await server.Get($"/Throws/{operation}");
            Check.Equal(500, status);
            Check.That(body.Contains("InvalidOperationException: secret", StringComparison.Ordinal), body);
        }
    }

    public static async Task An_error_is_left_to_the_middleware_before_where_the_option_says_so()
    {
        var options = new LightNodeOptions { ErrorHandlingPolicy = ErrorHandlingPolicy.ThrowException };
        await using var server = await TestServer.Start(app =>
        {
            app.Use(async (context, next) =>
            {
                try
                {
                    await next(context);
                }
                catch (InvalidOperationException error)
                {
                    context.Response.StatusCode = 418;
                    await context.Response.WriteAsync(error.Message);
                }
            });
            app.UseLightNode(options, Contracts.Of(options, typeof(Throws)));
        });
        await server.Expect("/Throws/Now", 418, "secret");
        await server.Expect("/Throws/Later", 418, "secret");
    }
}
