using System.Buffers;

namespace LightNode;

/// <summary>A stream over a buffer, for what writes to streams alone.</summary>
sealed class BufferStream(IBufferWriter<byte> output) : OneWayStream(isRead: false)
{
    public override void Write(ReadOnlySpan<byte> buffer) => output.Write(buffer);

    public override void Write(byte[] buffer, int offset, int count) => output.Write(buffer.AsSpan(offset, count));
}
