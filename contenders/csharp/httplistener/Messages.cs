#if NEWTONSOFT
using Name = Newtonsoft.Json.JsonPropertyAttribute;
#else
using Name = System.Text.Json.Serialization.JsonPropertyNameAttribute;
#endif

sealed class Wager
{
    public bool? Bet { get; set; }
}

sealed class Toss
{
    [Name("win")]
    public bool Win { get; set; }
}

sealed class Hashed
{
    [Name("hash")]
    public string Hash { get; set; }
}

sealed class Echoed
{
    [Name("Name")]
    public string Name { get; set; }

    [Name("Sum")]
    public long Sum { get; set; }
}
