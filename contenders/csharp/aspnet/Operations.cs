using System.Text.Json.Serialization;

[Flags]
public enum Bits
{
    A = 1,
    B = 2,
    C = 4,
    D = 8,
}

public record Flagged([property: JsonPropertyName("Flags")] int Flags);

public record Summed([property: JsonPropertyName("Sum")] int Sum);
