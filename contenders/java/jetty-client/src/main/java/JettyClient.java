import java.io.IOException;
import java.nio.file.Path;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.PathResponseListener;

public final class JettyClient {
    public static void main(String[] args) throws Exception {
        var client = new HttpClient();
        client.start();
        Serve.lines((url, out) -> {
            var listener = new PathResponseListener(out, true);
            client.newRequest(url).send(listener);
            var response = listener.get().response();
            if (response.getStatus() != 200) {
                throw new IOException("status " + response.getStatus());
            }
        });
    }
}
