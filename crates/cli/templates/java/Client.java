import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;

public class Client {
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    public static void main(String[] args) throws Exception {
        var lines = new BufferedReader(new InputStreamReader(System.in));
        for (var line = lines.readLine(); line != null; line = lines.readLine()) {
            var parts = line.split("\t");
            var start = System.nanoTime();
            String result;
            try {
                result = Long.toString(save(parts[0], Path.of(parts[1])));
            } catch (Exception error) {
                result = "error: " + String.valueOf(error).replaceAll("\\s+", " ");
            }
            System.out.println(System.nanoTime() - start + "\t" + result);
        }
    }

    private static long save(String url, Path out) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(url)).build();
        var response = CLIENT.send(request, BodyHandlers.ofInputStream());
        try (var body = response.body()) {
            if (response.statusCode() != 200) {
                throw new IOException("status " + response.statusCode());
            }
            try (var file = Files.newOutputStream(out)) {
                body.transferTo(file);
            }
        }
        return Files.size(out);
    }
}
