import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import org.asynchttpclient.AsyncCompletionHandler;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.HttpResponseBodyPart;
import org.asynchttpclient.HttpResponseStatus;
import org.asynchttpclient.Response;

public final class AsyncClient {
    public static void main(String[] args) throws IOException {
        var client = Dsl.asyncHttpClient();
        Serve.lines((url, out) -> {
            try (var file = FileChannel.open(out, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING,
                    StandardOpenOption.WRITE)) {
                client.prepareGet(url).execute(new ToFile(file)).get();
            }
        });
    }

    /** Writes a body to a file as it comes. */
    private static final class ToFile extends AsyncCompletionHandler<Response> {
        private final FileChannel file;

        ToFile(FileChannel file) {
            this.file = file;
        }

        @Override
        public State onStatusReceived(HttpResponseStatus status) throws Exception {
            if (status.getStatusCode() != 200) {
                throw new IOException("status " + status.getStatusCode());
            }
            return super.onStatusReceived(status);
        }

        @Override
        public State onBodyPartReceived(HttpResponseBodyPart part) throws IOException {
            var bytes = part.getBodyByteBuffer();
            while (bytes.hasRemaining()) {
                file.write(bytes);
            }
            return State.CONTINUE;
        }

        @Override
        public Response onCompleted(Response response) {
            return response;
        }
    }
}
