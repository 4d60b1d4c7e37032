import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;

public final class JdkHttpClient {
    public static void main(String[] args) throws IOException {
        var client = HttpClient.newHttpClient();
        Serve.lines((url, out) -> {
            var request = HttpRequest.newBuilder(URI.create(url)).build();
            // Decided before the body: an error's page is not to be saved as the file.
            var response = client.send(request, head -> head.statusCode() == 200
                ? BodyHandlers.ofFile(out).apply(head)
                : BodyHandlers.<Path>replacing(null).apply(head));
            if (response.statusCode() != 200) {
                throw new IOException("status " + response.statusCode());
            }
        });
    }
}
