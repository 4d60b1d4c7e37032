using System.Buffers;
using System.Text;
using System.Xml;
using System.Xml.Serialization;

namespace LightNode;

/// <summary>XML as XmlSerializer has it: public types with a constructor without parameters.</summary>
public sealed class XmlContentFormatter(Encoding? encoding = null) : IContentFormatter
{
    readonly Encoding encoding = encoding ?? new UTF8Encoding(encoderShouldEmitUTF8Identifier: false);

    public string MediaType => "application/xml";

    public string? ContentEncoding => null;

    public string Ext => "xml";

    public Encoding? Encoding => encoding;

    public void Serialize<T>(IBufferWriter<byte> output, T value)
    {
        using var stream = new BufferStream(output);
        using var writer = XmlWriter.Create(stream, new XmlWriterSettings { Encoding = encoding });
        // It keeps what it makes for a type.
        new XmlSerializer(value?.GetType() ?? typeof(T)).Serialize(writer, value);
    }

    public async ValueTask<object?> Deserialize(Type type, Stream input, CancellationToken cancellation)
    {
        // XmlReader reads at the caller's pace only, and a server's stream wants to be awaited.
        var bytes = new MemoryStream();
        await input.CopyToAsync(bytes, cancellation);
        bytes.Position = 0;
        try
        {
            using var reader = XmlReader.Create(
                bytes, new XmlReaderSettings { DtdProcessing = DtdProcessing.Prohibit, XmlResolver = null });
            return new XmlSerializer(type).Deserialize(reader);
        }
        catch (InvalidOperationException error)
        {
            throw new ContentFormatException(error.InnerException?.Message ?? error.Message, error);
        }
    }
}
