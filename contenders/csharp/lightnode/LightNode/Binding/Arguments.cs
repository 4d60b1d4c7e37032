namespace LightNode;

/// <summary>The texts that a request gives for an operation's parameters. A thread uses one again and again.</summary>
sealed class Arguments
{
    /// <summary>As many as there are bits for.</summary>
    public const int MostParameters = 64;

    const int MostKept = 256;

    [ThreadStatic]
    static Arguments? kept;

    readonly ReadOnlyMemory<char>[] first = new ReadOnlyMemory<char>[MostParameters];
    List<(int Parameter, ReadOnlyMemory<char> Text)> more = [];
    ulong present;

    Arguments()
    {
    }

    /// <summary>Whether enums are taken by name, too.</summary>
    public bool TakesNames { get; private set; }

    /// <summary>What was read from the body.</summary>
    public object? Body { get; set; }

    public static Arguments Rent(bool takesNames)
    {
        var arguments = kept ?? new Arguments();
        kept = null;
        arguments.TakesNames = takesNames;
        return arguments;
    }

    /// <summary>Gives them back; they hold nothing of the request from here on.</summary>
    public void Return()
    {
        for (var left = present; left != 0; left &= left - 1)
        {
            first[System.Numerics.BitOperations.TrailingZeroCount(left)] = default;
        }
        if (more.Capacity > MostKept)
        {
            more = [];
        }
        else if (more.Count > 0)
        {
            more.Clear();
        }
        present = 0;
        Body = null;
        kept = this;
    }

    public void Add(int parameter, ReadOnlyMemory<char> text)
    {
        var bit = 1UL << parameter;
        if ((present & bit) != 0)
        {
            more.Add((parameter, text));
            return;
        }
        present |= bit;
        first[parameter] = text;
    }

    public bool Has(int parameter) => (present & (1UL << parameter)) != 0;

    /// <summary>The first text of a parameter that is there.</summary>
    public ReadOnlyMemory<char> First(int parameter) => first[parameter];

    /// <summary>All texts of a parameter, in the order in which they came.</summary>
    public int Count(int parameter)
    {
        var count = Has(parameter) ? 1 : 0;
        foreach (var (other, _) in more)
        {
            count += other == parameter ? 1 : 0;
        }
        return count;
    }

    /// <summary>The texts of a parameter that follow the first one.</summary>
    public IEnumerable<ReadOnlyMemory<char>> Rest(int parameter)
    {
        foreach (var (other, text) in more)
        {
            if (other == parameter)
            {
                yield return text;
            }
        }
    }
}
