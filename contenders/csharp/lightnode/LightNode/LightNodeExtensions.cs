using System.Reflection;

namespace LightNode;

/// <summary>LightNode as middleware of ASP.NET Core.</summary>
public static class LightNodeExtensions
{
    /// <summary>Answers requests by the contracts of some assemblies; of the program's own where none is given.</summary>
    public static IApplicationBuilder UseLightNode(
        this IApplicationBuilder app, LightNodeOptions? options = null, params Assembly[] assemblies)
    {
        options ??= new LightNodeOptions();
        return app.UseLightNode(options, Contracts.In(options, assemblies is [] ? [Assembly.GetEntryAssembly()!] : assemblies));
    }

    /// <summary>Answers requests by operations that were found before.</summary>
    public static IApplicationBuilder UseLightNode(
        this IApplicationBuilder app, LightNodeOptions options, IReadOnlyList<OperationInfo> operations) =>
        app.Use(next => new LightNodeServer(next, operations, options).Invoke);
}
