namespace LightNode;

/// <summary>The methods of HTTP that an operation takes.</summary>
[Flags]
public enum AcceptVerbs
{
    Get = 1,
    Post = 2,
    Put = 4,
    Delete = 8,
    Patch = 16,
}

static class Verbs
{
    const AcceptVerbs All =
        AcceptVerbs.Get | AcceptVerbs.Post | AcceptVerbs.Put | AcceptVerbs.Delete | AcceptVerbs.Patch;

    /// <summary>The verb of a method's name; none, which no operation accepts, of any other method.</summary>
    public static AcceptVerbs Of(string method) =>
        HttpMethods.IsGet(method) ? AcceptVerbs.Get
        : HttpMethods.IsPost(method) ? AcceptVerbs.Post
        : HttpMethods.IsPut(method) ? AcceptVerbs.Put
        : HttpMethods.IsDelete(method) ? AcceptVerbs.Delete
        : HttpMethods.IsPatch(method) ? AcceptVerbs.Patch
        : 0;

    /// <summary>Each single verb of a set, in the order of their values.</summary>
    public static IEnumerable<AcceptVerbs> Each(AcceptVerbs verbs) =>
        Enum.GetValues<AcceptVerbs>().Where(verb => (verbs & verb) != 0);

    /// <summary>The name that stands in a request line.</summary>
    public static string Name(AcceptVerbs verb) => verb.ToString().ToUpperInvariant();

    /// <summary>A set as the header <c>Allow</c> has it.</summary>
    public static string Allow(AcceptVerbs verbs) => string.Join(", ", Each(verbs).Select(Name));

    /// <summary>Whether a set holds at least one verb, and none that is not defined.</summary>
    public static bool IsValid(AcceptVerbs verbs) => verbs != 0 && (verbs & ~All) == 0;
}
