using System.Buffers;

namespace LightNode;

/// <summary>Memory that grows while a result is written, and is used again for the next one.</summary>
sealed class PooledBuffer : IBufferWriter<byte>, IDisposable
{
    const int Least = 4 * 1024;

    /// <summary>What a thread keeps; larger ones go back to the pool at once.</summary>
    const int MostKept = 64 * 1024;

    [ThreadStatic]
    static PooledBuffer? kept;

    byte[] bytes = ArrayPool<byte>.Shared.Rent(Least);
    int length;

    PooledBuffer()
    {
    }

    public ReadOnlyMemory<byte> Written => bytes.AsMemory(0, length);

    public static PooledBuffer Rent()
    {
        var buffer = kept ?? new PooledBuffer();
        kept = null;
        return buffer;
    }

    public void Advance(int count) => length += count;

    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        Ensure(sizeHint);
        return bytes.AsMemory(length);
    }

    public Span<byte> GetSpan(int sizeHint = 0)
    {
        Ensure(sizeHint);
        return bytes.AsSpan(length);
    }

    /// <summary>Gives it back; nobody may look at it from here on.</summary>
    public void Dispose()
    {
        length = 0;
        if (bytes.Length <= MostKept && kept is null)
        {
            kept = this;
            return;
        }
        ArrayPool<byte>.Shared.Return(bytes);
        bytes = [];
    }

    void Ensure(int sizeHint)
    {
        var free = Math.Max(sizeHint, 1);
        if (bytes.Length - length >= free)
        {
            return;
        }
        var larger = ArrayPool<byte>.Shared.Rent(checked(length + Math.Max(free, length)));
        bytes.AsSpan(0, length).CopyTo(larger);
        ArrayPool<byte>.Shared.Return(bytes);
        bytes = larger;
    }
}
