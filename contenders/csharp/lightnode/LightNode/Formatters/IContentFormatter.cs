using System.Buffers;
using System.Text;

namespace LightNode;

/// <summary>Writes results, and reads bodies, of one media type.</summary>
public interface IContentFormatter
{
    /// <summary>Such as <c>application/json</c>.</summary>
    string MediaType { get; }

    /// <summary>Such as <c>gzip</c>; null where what is written is not encoded.</summary>
    string? ContentEncoding { get; }

    /// <summary>The extensions that ask for it, without a dot, several between bars: <c>htm|html</c>.</summary>
    string Ext { get; }

    /// <summary>How characters are written; null where there are none.</summary>
    Encoding? Encoding { get; }

    void Serialize<T>(IBufferWriter<byte> output, T value);

    /// <exception cref="ContentFormatException">When the input is no such value.</exception>
    ValueTask<object?> Deserialize(Type type, Stream input, CancellationToken cancellation);
}

/// <summary>A body is not what its media type or its parameter asks for.</summary>
public sealed class ContentFormatException(string message, Exception? inner = null) : Exception(message, inner);
