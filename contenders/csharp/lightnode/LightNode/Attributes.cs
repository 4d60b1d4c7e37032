namespace LightNode;

/// <summary>Takes a method, or all of a class, out of the operations.</summary>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method)]
public sealed class IgnoreOperationAttribute : Attribute;

/// <summary>Leaves an operation, or all of a class, out of the generated clients.</summary>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method)]
public sealed class IgnoreClientGenerateAttribute : Attribute;

/// <summary>Marks the parameter that is read from the body, by the formatter of its content type.</summary>
[AttributeUsage(AttributeTargets.Parameter)]
public sealed class BodyAttribute : Attribute;

/// <summary>The verbs of an operation or of all of a class, and the formatter that answers whatever is asked for.</summary>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method)]
public sealed class OperationOptionAttribute : Attribute
{
    /// <summary>The verbs alone.</summary>
    public OperationOptionAttribute(AcceptVerbs acceptVerbs) => AcceptVerbs = acceptVerbs;

    /// <summary>The type of a formatter with a public constructor without parameters.</summary>
    public OperationOptionAttribute(Type formatter) => Formatter = formatter;

    /// <summary>Both.</summary>
    public OperationOptionAttribute(AcceptVerbs acceptVerbs, Type formatter)
    {
        AcceptVerbs = acceptVerbs;
        Formatter = formatter;
    }

    public AcceptVerbs? AcceptVerbs { get; }

    public Type? Formatter { get; }
}

/// <summary>A verb of one method; several add up, and outdo the options of method and class.</summary>
[AttributeUsage(AttributeTargets.Method)]
public abstract class VerbAttribute : Attribute
{
    private protected VerbAttribute(AcceptVerbs verb) => Verb = verb;

    internal AcceptVerbs Verb { get; }
}

public sealed class GetAttribute() : VerbAttribute(AcceptVerbs.Get);

public sealed class PostAttribute() : VerbAttribute(AcceptVerbs.Post);

public sealed class PutAttribute() : VerbAttribute(AcceptVerbs.Put);

public sealed class DeleteAttribute() : VerbAttribute(AcceptVerbs.Delete);

public sealed class PatchAttribute() : VerbAttribute(AcceptVerbs.Patch);
