namespace LightNode;

/// <summary>A stream that is only read, or only written, from its begin to its end.</summary>
abstract class OneWayStream(bool isRead) : Stream
{
    public override bool CanRead => isRead;

    public override bool CanSeek => false;

    public override bool CanWrite => !isRead;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Flush()
    {
    }
}
