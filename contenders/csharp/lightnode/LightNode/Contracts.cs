using System.Reflection;

namespace LightNode;

/// <summary>Finds the operations of contracts.</summary>
public static class Contracts
{
    /// <summary>The operations of all public contracts of some assemblies.</summary>
    public static IReadOnlyList<OperationInfo> In(LightNodeOptions options, params Assembly[] assemblies) =>
        Of(options, assemblies.SelectMany(assembly => assembly.GetTypes()).Where(type => type.IsVisible && IsContract(type)).ToArray());

    /// <summary>The operations of some contracts, in the order of their paths.</summary>
    public static IReadOnlyList<OperationInfo> Of(LightNodeOptions options, params Type[] contracts)
    {
        var operations = new List<OperationInfo>();
        foreach (var contract in contracts)
        {
            if (!IsContract(contract))
            {
                throw new InvalidOperationException($"{contract} is no contract; expected a class that derives from LightNodeContract");
            }
            if (contract.IsDefined(typeof(IgnoreOperationAttribute), inherit: true))
            {
                continue;
            }
            if (contract.GetConstructor(Type.EmptyTypes) is null)
            {
                throw new InvalidOperationException($"{contract}: expected a public constructor without parameters");
            }
            operations.AddRange(MethodsOf(contract).Select(method => new OperationInfo(contract, method, options)));
        }
        var twice = operations.GroupBy(operation => operation.Path, StringComparer.OrdinalIgnoreCase).FirstOrDefault(group => group.Count() > 1);
        if (twice is not null)
        {
            throw new InvalidOperationException($"{twice.Key} is there {twice.Count()} times; expected another name for each class and each method");
        }
        return operations.OrderBy(operation => operation.Path, StringComparer.Ordinal).ToArray();
    }

    static bool IsContract(Type type) =>
        type is { IsClass: true, IsAbstract: false, IsGenericTypeDefinition: false } && type.IsSubclassOf(typeof(LightNodeContract));

    /// <summary>Also those that it inherits, but from the classes that every contract has.</summary>
    static IEnumerable<MethodInfo> MethodsOf(Type contract) =>
        contract.GetMethods(BindingFlags.Instance | BindingFlags.Public).Where(method =>
            !method.IsSpecialName
            && method.GetBaseDefinition().DeclaringType is { } declaring
            && declaring != typeof(object)
            && declaring != typeof(LightNodeContract)
            && !method.IsDefined(typeof(IgnoreOperationAttribute), inherit: true));
}
