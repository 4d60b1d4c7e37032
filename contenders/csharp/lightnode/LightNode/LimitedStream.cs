namespace LightNode;

/// <summary>A body that nobody else bounds, of which no more than 30 MB are read.</summary>
sealed class LimitedStream(Stream input) : Stream
{
    /// <summary>What Kestrel takes of a body unless it is told otherwise.</summary>
    const long Most = 30_000_000;

    long left = Most;

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => false;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override int Read(byte[] buffer, int offset, int count) => Counted(input.Read(buffer, offset, count));

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        Counted(await input.ReadAsync(buffer, cancellationToken));

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    int Counted(int read)
    {
        left -= read;
        return left >= 0
            ? read
            : throw new BadHttpRequestException($"the body has more than {Most} bytes", StatusCodes.Status413PayloadTooLarge);
    }
}
