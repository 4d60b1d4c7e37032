sealed class Wager
{
    public bool? Bet { get; set; }
}

sealed class Toss
{
    public bool Win { get; set; }
}

sealed class Hashed
{
    public string Hash { get; set; }
}
