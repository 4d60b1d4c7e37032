namespace LightNode.Tests;

[Tests]
static class AllocationTests
{
    public static async Task A_request_allocates_no_more_than_one_of_a_RequestDelegate()
    {
        var raw = await Allocations.BytesPerRequest("RequestDelegate by hand");
        var own = await Allocations.BytesPerRequest("LightNode");
        Check.That(own <= raw, $"{own:F0} bytes of LightNode are at most the {raw:F0} of a RequestDelegate");
    }
}
