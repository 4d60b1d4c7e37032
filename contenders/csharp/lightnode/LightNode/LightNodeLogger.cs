using Microsoft.Extensions.Logging;

namespace LightNode;

/// <summary>Is told what happens.</summary>
public abstract class LightNodeLogger
{
    public virtual void Registered(OperationInfo operation)
    {
    }

    public virtual void Started(int operations, TimeSpan elapsed)
    {
    }

    public virtual void Interrupted(HttpContext context, InterruptReason reason, string detail)
    {
    }

    public virtual void ExecuteStarted(HttpContext context, OperationInfo operation)
    {
    }

    /// <param name="interrupted">Whether it ended by an exception.</param>
    public virtual void ExecuteFinished(HttpContext context, OperationInfo operation, bool interrupted, TimeSpan elapsed)
    {
    }

    public virtual void ExceptionThrown(HttpContext context, OperationInfo operation, Exception exception)
    {
    }
}

/// <summary>Hands what happens to the logging of ASP.NET Core.</summary>
public sealed class HostLogger(ILogger logger) : LightNodeLogger
{
    public override void Registered(OperationInfo operation) =>
        logger.LogDebug("operation {Path} takes {Verbs}", operation.Path, operation.Verbs);

    public override void Started(int operations, TimeSpan elapsed) =>
        logger.LogInformation("{Operations} operations made ready in {Milliseconds} ms", operations, elapsed.TotalMilliseconds);

    public override void Interrupted(HttpContext context, InterruptReason reason, string detail) =>
        logger.LogDebug("{Reason}: {Detail}", reason, detail);

    public override void ExceptionThrown(HttpContext context, OperationInfo operation, Exception exception) =>
        logger.LogError(exception, "operation {Path} threw", operation.Path);
}
