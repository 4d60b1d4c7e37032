namespace LightNode;

/// <summary>Why a request did not get to its operation.</summary>
public enum InterruptReason
{
    OperationMissing,
    VerbMissing,
    ParameterBindFailed,
    NegotiationFailed,
    ContentTypeUnsupported,
}

/// <summary>Watches one request on its way, and may stand around its filters and its operation: for profilers.</summary>
public abstract class OperationCoordinator
{
    /// <summary>Before anything of the request is looked at; false leaves it to the next middleware.</summary>
    public virtual bool OnStartProcessRequest(HttpContext context) => true;

    /// <summary>It does not get to its operation.</summary>
    public virtual void OnProcessInterrupt(HttpContext context, InterruptReason reason, string detail)
    {
    }

    /// <summary>The filters that run, in their order.</summary>
    public virtual IReadOnlyList<LightNodeFilterAttribute> GetFilters(
        OperationContext context, IReadOnlyList<LightNodeFilterAttribute> filters) => filters;

    /// <summary>Within the filters. The result is written when <paramref name="operation"/> is done.</summary>
    public virtual Task ExecuteOperation(OperationContext context, Func<Task> operation) => operation();
}
