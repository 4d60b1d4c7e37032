namespace LightNode;

/// <summary>A body that nobody else bounds, of which no more than 30 MB are read.</summary>
sealed class LimitedStream(Stream input) : OneWayStream(isRead: true)
{
    /// <summary>What Kestrel takes of a body unless it is told otherwise.</summary>
    const long Most = 30_000_000;

    long left = Most;

    public override int Read(byte[] buffer, int offset, int count) => Counted(input.Read(buffer, offset, count));

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        Counted(await input.ReadAsync(buffer, cancellationToken));

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    int Counted(int read)
    {
        left -= read;
        return left >= 0
            ? read
            : throw new BadHttpRequestException($"the body has more than {Most} bytes", StatusCodes.Status413PayloadTooLarge);
    }
}
