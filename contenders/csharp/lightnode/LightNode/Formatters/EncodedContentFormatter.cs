using System.Buffers;
using System.IO.Compression;
using System.Text;

namespace LightNode;

/// <summary>Another formatter's output under a content encoding.</summary>
public sealed class EncodedContentFormatter : IContentFormatter
{
    readonly IContentFormatter inner;
    readonly Func<Stream, Stream> compress;
    readonly Func<Stream, Stream> expand;

    /// <param name="contentEncoding">gzip, deflate or br.</param>
    public EncodedContentFormatter(
        IContentFormatter inner, string contentEncoding = "gzip", CompressionLevel level = CompressionLevel.Fastest)
    {
        this.inner = inner;
        ContentEncoding = contentEncoding;
        (compress, expand) = contentEncoding switch
        {
            "gzip" => ((Func<Stream, Stream>)(output => new GZipStream(output, level, leaveOpen: true)),
                (Func<Stream, Stream>)(input => new GZipStream(input, CompressionMode.Decompress))),
            "deflate" => (output => new ZLibStream(output, level, leaveOpen: true),
                input => new ZLibStream(input, CompressionMode.Decompress)),
            "br" => (output => new BrotliStream(output, level, leaveOpen: true),
                input => new BrotliStream(input, CompressionMode.Decompress)),
            _ => throw new ArgumentException($"content encoding {contentEncoding}; expected gzip, deflate or br"),
        };
    }

    public string MediaType => inner.MediaType;

    public string? ContentEncoding { get; }

    public string Ext => inner.Ext;

    public Encoding? Encoding => inner.Encoding;

    public void Serialize<T>(IBufferWriter<byte> output, T value)
    {
        using var plain = PooledBuffer.Rent();
        inner.Serialize(plain, value);
        using var stream = compress(new BufferStream(output));
        stream.Write(plain.Written.Span);
    }

    public async ValueTask<object?> Deserialize(Type type, Stream input, CancellationToken cancellation)
    {
        // A little of what is compressed may be a lot of what is not.
        await using var expanded = expand(input);
        await using var stream = new LimitedStream(expanded);
        try
        {
            return await inner.Deserialize(type, stream, cancellation);
        }
        catch (InvalidDataException error)
        {
            throw new ContentFormatException(error.Message, error);
        }
    }
}
