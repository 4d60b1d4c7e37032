using System.Text.Json.Serialization;
using LightNode;

public enum MyEnum
{
    A = 2,
    B = 3,
    C = 4,
}

[Flags]
public enum Fruits
{
    Apple = 1,
    Banana = 2,
    Cherry = 4,
    Date = 8,
}

public class MyClass
{
    public string Name { get; set; } = "";

    public int Sum { get; set; }
}

public record Flagged(int Flags);

public record Summed(int Sum);

/// <summary>The published operation, and what tells how strict a framework is.</summary>
public class Perf : LightNodeContract
{
    const int LargestSize = 16 * 1024 * 1024;

    public MyClass Echo(string name, int x, int y, MyEnum e, int size = 0)
    {
        var result = new MyClass { Name = name, Sum = (x + y) * (int)e };
        if (size > LargestSize)
        {
            throw new ReturnStatusCodeException(400, content: $"size is {size}; expected at most {LargestSize}");
        }
        if (size > 0)
        {
            var left = size - Json.LengthOf(result);
            result.Name = left > 0 ? result.Name + new string('x', left) : result.Name;
        }
        return result;
    }

    public Flagged Flags(Fruits f) => new((int)f);

    public Summed Array(int[] a) => new(a.Sum());

    public void Void()
    {
    }

    public void Status(int code) => throw new ReturnStatusCodeException(code is >= 200 and <= 599 ? code : 400);

    public void Throw() => throw new InvalidOperationException("velo-secret-detail");
}

public class Wager
{
    [JsonPropertyName("bet")]
    public required bool Bet { get; set; }
}

public record Toss([property: JsonPropertyName("win")] bool Win);

/// <summary>The workload of the coin article.</summary>
public class Coin : LightNodeContract
{
    [Post]
    public Toss Toss([Body] Wager wager) => new(Random.Shared.Next(2) == 1 == wager.Bet);
}
