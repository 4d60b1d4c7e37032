import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;

public final class UrlConnection {
    public static void main(String[] args) throws IOException {
        boolean bytewise = args.length > 0 && args[0].equals("bytewise");
        Serve.lines((url, out) -> {
            var connection = (HttpURLConnection) URI.create(url).toURL().openConnection();
            if (connection.getResponseCode() != 200) {
                throw new IOException("status " + connection.getResponseCode());
            }
            try (InputStream body = connection.getInputStream()) {
                Files.copy(bytewise ? new Bytewise(body) : body, out, StandardCopyOption.REPLACE_EXISTING);
            }
        });
    }

    /** A wrapper that overrides nothing but the reading of one byte, so that each larger read comes to that. */
    private static final class Bytewise extends InputStream {
        private final InputStream body;

        Bytewise(InputStream body) {
            this.body = body;
        }

        @Override
        public int read() throws IOException {
            return body.read();
        }
    }
}
