using System.Buffers;
using System.Text;

namespace LightNode;

/// <summary>Bytes as they are.</summary>
public sealed class OctetStreamContentFormatter(string mediaType = "application/octet-stream", string ext = "bin")
    : IContentFormatter
{
    public string MediaType => mediaType;

    public string? ContentEncoding => null;

    public string Ext => ext;

    public Encoding? Encoding => null;

    public void Serialize<T>(IBufferWriter<byte> output, T value) =>
        output.Write(value switch
        {
            null => default,
            byte[] bytes => bytes,
            ReadOnlyMemory<byte> memory => memory.Span,
            _ => throw new NotSupportedException($"{mediaType} takes byte[] or ReadOnlyMemory<byte>, and not {value.GetType()}"),
        });

    public async ValueTask<object?> Deserialize(Type type, Stream input, CancellationToken cancellation)
    {
        if (type != typeof(byte[]))
        {
            throw new ContentFormatException($"{mediaType} is bytes, and not {type.Name}");
        }
        var bytes = new MemoryStream();
        await input.CopyToAsync(bytes, cancellation);
        return bytes.ToArray();
    }
}
