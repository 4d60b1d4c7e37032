import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import org.apache.commons.httpclient.HttpClient;
import org.apache.commons.httpclient.HttpStatus;
import org.apache.commons.httpclient.methods.GetMethod;

public final class CommonsHttpClient {
    public static void main(String[] args) throws IOException {
        var client = new HttpClient();
        Serve.lines((url, out) -> {
            var method = new GetMethod(url);
            try {
                if (client.executeMethod(method) != HttpStatus.SC_OK) {
                    throw new IOException(method.getStatusLine().toString());
                }
                try (InputStream body = method.getResponseBodyAsStream()) {
                    Files.copy(body, out, StandardCopyOption.REPLACE_EXISTING);
                }
            } finally {
                method.releaseConnection();
            }
        });
    }
}
