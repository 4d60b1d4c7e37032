namespace LightNode.Tests;

/// <summary>What is measured: each answers Echo.</summary>
static class Servers
{
    public static IReadOnlyDictionary<string, Action<WebApplication>> All { get; } = new Dictionary<string, Action<WebApplication>>
    {
        ["RequestDelegate"] = app => app.Run(Raw.Echo),
        ["RequestDelegate by hand"] = app => app.Run(Raw.EchoByHand),
        ["LightNode"] = app => UseLightNode(app, new LightNodeOptions()),
        ["LightNode with a filter"] = app =>
        {
            var options = new LightNodeOptions();
            options.Filters.Add((_, next) => next());
            UseLightNode(app, options);
        },
    };

    static void UseLightNode(WebApplication app, LightNodeOptions options) =>
        app.UseLightNode(options, Contracts.Of(options, typeof(Perf)));
}
