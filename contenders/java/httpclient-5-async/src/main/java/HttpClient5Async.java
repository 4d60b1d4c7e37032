import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.apache.hc.client5.http.async.methods.AbstractBinResponseConsumer;
import org.apache.hc.client5.http.async.methods.SimpleRequestBuilder;
import org.apache.hc.client5.http.async.methods.SimpleRequestProducer;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.HttpStatus;

public final class HttpClient5Async {
    public static void main(String[] args) throws IOException {
        var client = HttpAsyncClients.createDefault();
        client.start();
        Serve.lines((url, out) -> {
            var request = SimpleRequestProducer.create(SimpleRequestBuilder.get(url).build());
            client.execute(request, new ToFile(out), null).get();
        });
    }

    /** Writes a body to a file as it comes. */
    private static final class ToFile extends AbstractBinResponseConsumer<Void> {
        private final Path out;
        private FileChannel file;

        ToFile(Path out) {
            this.out = out;
        }

        @Override
        protected void start(HttpResponse response, ContentType type) throws IOException {
            if (response.getCode() != HttpStatus.SC_OK) {
                throw new IOException("status " + response.getCode());
            }
            file = FileChannel.open(out, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE);
        }

        @Override
        protected int capacityIncrement() {
            return Integer.MAX_VALUE;
        }

        @Override
        protected void data(ByteBuffer bytes, boolean isLast) throws IOException {
            while (bytes.hasRemaining()) {
                file.write(bytes);
            }
            if (isLast) {
                file.close();
            }
        }

        @Override
        protected Void buildResult() {
            return null;
        }

        @Override
        public void releaseResources() {
            try {
                if (file != null) {
                    file.close();
                }
            } catch (IOException error) {
                throw new java.io.UncheckedIOException(error);
            }
        }
    }
}
