namespace LightNode.Tests;

[Tests]
static class AllocationTests
{
    public static async Task A_request_allocates_no_more_than_one_of_a_RequestDelegate()
    {
        var raw = await Allocations.BytesPerRequest(app => app.Run(Raw.Echo));
        var own = await Allocations.BytesPerRequest(app =>
        {
            var options = new LightNodeOptions();
            app.UseLightNode(options, Contracts.Of(options, typeof(Perf)));
        });
        Check.That(own <= raw, $"{own:F0} bytes of LightNode are at most the {raw:F0} of a RequestDelegate");
    }
}
