using System.Buffers;
using System.Globalization;
using System.Text;

namespace LightNode;

/// <summary>A value's own text, the same in any culture.</summary>
public class TextContentFormatter(string mediaType = "text/plain", string ext = "txt", Encoding? encoding = null)
    : IContentFormatter
{
    // Without a mark at its begin.
    readonly Encoding encoding = encoding ?? new UTF8Encoding(encoderShouldEmitUTF8Identifier: false);

    public string MediaType => mediaType;

    public string? ContentEncoding => null;

    public string Ext => ext;

    public Encoding? Encoding => encoding;

    public void Serialize<T>(IBufferWriter<byte> output, T value) =>
        encoding.GetBytes(Convert.ToString(value, CultureInfo.InvariantCulture) ?? "", output);

    public async ValueTask<object?> Deserialize(Type type, Stream input, CancellationToken cancellation)
    {
        if (type != typeof(string))
        {
            throw new ContentFormatException($"{mediaType} is a text, and not {type.Name}");
        }
        using var reader = new StreamReader(input, encoding);
        return await reader.ReadToEndAsync(cancellation);
    }
}

/// <summary>A text that is HTML already.</summary>
public sealed class HtmlContentFormatter(Encoding? encoding = null) : TextContentFormatter("text/html", "htm|html", encoding);
