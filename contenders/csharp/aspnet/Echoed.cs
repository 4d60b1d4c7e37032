using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;

public enum Factor
{
    A = 2,
    B = 3,
    C = 4,
}

public record Echoed(
    [property: JsonPropertyName("Name")] string Name,
    [property: JsonPropertyName("Sum")] long Sum)
{
    public const int LargestSize = 16 * 1024 * 1024;

    /// <summary>The JSON that minimal APIs and controllers write when nobody configures it.</summary>
    public static readonly JsonSerializerOptions Json = new(JsonSerializerDefaults.Web)
    {
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };

    /// <summary>Its body has <paramref name="size"/> bytes if it would have fewer without the padding.</summary>
    public static Echoed Of(string name, int x, int y, Factor e, int size)
    {
        var echoed = new Echoed(name, ((long)x + y) * (int)e);
        if (size <= 0)
        {
            return echoed;
        }
        var missing = size - JsonSerializer.SerializeToUtf8Bytes(echoed, Json).Length;
        return missing > 0 ? echoed with { Name = name + new string('x', missing) } : echoed;
    }
}
