import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.HttpStatus;

public final class HttpClient5 {
    public static void main(String[] args) throws IOException {
        var client = HttpClients.createDefault();
        Serve.lines((url, out) -> client.execute(new HttpGet(url), response -> {
            if (response.getCode() != HttpStatus.SC_OK) {
                throw new IOException("status " + response.getCode());
            }
            try (OutputStream file = Files.newOutputStream(out)) {
                response.getEntity().writeTo(file);
            }
            return null;
        }));
    }
}
