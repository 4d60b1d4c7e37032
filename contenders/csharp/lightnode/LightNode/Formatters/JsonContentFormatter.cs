using System.Buffers;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace LightNode;

/// <summary>JSON, which is UTF-8.</summary>
public sealed class JsonContentFormatter : IContentFormatter
{
    static readonly ArrayBufferWriter<byte> Nowhere = new();

    [ThreadStatic]
    static (JsonContentFormatter? Owner, Utf8JsonWriter? Writer) kept;

    readonly JsonWriterOptions writing;

    /// <param name="options">By default properties keep their names, and what HTML alone would need is not escaped.</param>
    public JsonContentFormatter(JsonSerializerOptions? options = null, string ext = "json")
    {
        Options = new JsonSerializerOptions(
            options ?? new JsonSerializerOptions { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping });
        Options.MakeReadOnly(populateMissingResolver: true);
        Ext = ext;
        writing = new JsonWriterOptions
        {
            Encoder = Options.Encoder,
            Indented = Options.WriteIndented,
            MaxDepth = Options.MaxDepth,
            // The serializer writes nothing that is not JSON.
            SkipValidation = true,
        };
    }

    public JsonSerializerOptions Options { get; }

    public string MediaType => "application/json";

    public string? ContentEncoding => null;

    public string Ext { get; }

    public Encoding? Encoding => System.Text.Encoding.UTF8;

    public void Serialize<T>(IBufferWriter<byte> output, T value)
    {
        var writer = kept.Owner == this ? kept.Writer : null;
        // A converter may serialize something itself.
        kept = default;
        if (writer is null)
        {
            writer = new Utf8JsonWriter(output, writing);
        }
        else
        {
            writer.Reset(output);
        }
        JsonSerializer.Serialize(writer, value, (JsonTypeInfo<T>)Options.GetTypeInfo(typeof(T)));
        writer.Flush();
        // It is not to hold on to a connection.
        writer.Reset(Nowhere);
        kept = (this, writer);
    }

    public async ValueTask<object?> Deserialize(Type type, Stream input, CancellationToken cancellation)
    {
        try
        {
            return await JsonSerializer.DeserializeAsync(input, Options.GetTypeInfo(type), cancellation);
        }
        catch (JsonException error)
        {
            throw new ContentFormatException(error.Message, error);
        }
    }
}
