import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import org.apache.http.HttpStatus;
import org.apache.http.client.methods.HttpGet;
import org.apache.http.impl.client.DefaultHttpClient;
import org.apache.http.util.EntityUtils;

public final class HttpClient4 {
    public static void main(String[] args) throws IOException {
        var client = new DefaultHttpClient();
        Serve.lines((url, out) -> {
            var response = client.execute(new HttpGet(url));
            try {
                if (response.getStatusLine().getStatusCode() != HttpStatus.SC_OK) {
                    throw new IOException(response.getStatusLine().toString());
                }
                try (OutputStream file = Files.newOutputStream(out)) {
                    response.getEntity().writeTo(file);
                }
            } finally {
                EntityUtils.consumeQuietly(response.getEntity());
            }
        });
    }
}
