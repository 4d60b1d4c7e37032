namespace LightNode;

/// <summary>The base of a contract: each of its public methods is an operation under <c>/{Class}/{Method}</c>.</summary>
/// <remarks>One is made for each request, by its public constructor without parameters.</remarks>
public abstract class LightNodeContract
{
    /// <summary>The request that is being answered.</summary>
    public HttpContext Context { get; internal set; } = null!;
}
