namespace LightNode;

/// <summary>Stands around operations; one that does not call <c>next</c> cancels.</summary>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method, AllowMultiple = true)]
public abstract class LightNodeFilterAttribute : Attribute
{
    /// <summary>Lower ones are outside; equal ones stay as global, contract, operation. int.MinValue is no order.</summary>
    public int Order { get; set; } = int.MaxValue;

    public abstract Task Invoke(OperationContext context, Func<Task> next);
}

/// <summary>The filters around all operations.</summary>
public sealed class FilterCollection
{
    readonly List<LightNodeFilterAttribute> filters = [];

    internal IEnumerable<LightNodeFilterAttribute> All => filters;

    public FilterCollection Add(LightNodeFilterAttribute filter)
    {
        filters.Add(filter);
        return this;
    }

    public FilterCollection Add(Func<OperationContext, Func<Task>, Task> invoke, int order = int.MaxValue) =>
        Add(new FunctionFilter(invoke) { Order = order });

    sealed class FunctionFilter(Func<OperationContext, Func<Task>, Task> invoke) : LightNodeFilterAttribute
    {
        public override Task Invoke(OperationContext context, Func<Task> next) => invoke(context, next);
    }
}

static class Filters
{
    /// <summary>In the order in which they run. The sort is stable.</summary>
    public static LightNodeFilterAttribute[] Sorted(IEnumerable<LightNodeFilterAttribute> filters, string operation)
    {
        var sorted = filters.OrderBy(filter => filter.Order).ToArray();
        if (sorted is [{ Order: int.MinValue }, ..])
        {
            throw new InvalidOperationException(
                $"{operation}: a filter's Order is int.MinValue; expected int.MinValue + 1 to int.MaxValue");
        }
        return sorted;
    }

    /// <summary>Runs filters from one on, and at last what they stand around.</summary>
    public static Task Run(
        IReadOnlyList<LightNodeFilterAttribute> filters, int from, OperationContext context, Func<Task> operation) =>
        from == filters.Count
            ? operation()
            : filters[from].Invoke(context, () => Run(filters, from + 1, context, operation));
}
