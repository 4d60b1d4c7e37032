using System.Text.Encodings.Web;
using System.Text.Json;
using LightNode;

/// <summary>The JSON that this server speaks.</summary>
static class Json
{
    public static readonly JsonContentFormatter Formatter = new(new JsonSerializerOptions
    {
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    });

    public static int LengthOf<T>(T value) => JsonSerializer.SerializeToUtf8Bytes(value, Formatter.Options).Length;
}
