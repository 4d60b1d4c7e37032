public class Wager
{
    public required bool Bet { get; set; }
}

public record Toss(bool Win)
{
    public static Toss Of(Wager wager)
    {
        var draw = Random.Shared.Next(2) == 1;
        return new Toss(draw == wager.Bet);
    }
}
