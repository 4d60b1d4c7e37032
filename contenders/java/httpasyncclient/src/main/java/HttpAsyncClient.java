import java.io.File;
import java.io.IOException;
import org.apache.http.HttpResponse;
import org.apache.http.HttpStatus;
import org.apache.http.entity.ContentType;
import org.apache.http.impl.nio.client.DefaultHttpAsyncClient;
import org.apache.http.nio.client.methods.HttpAsyncMethods;
import org.apache.http.nio.client.methods.ZeroCopyConsumer;

public final class HttpAsyncClient {
    public static void main(String[] args) throws Exception {
        var client = new DefaultHttpAsyncClient();
        client.start();
        Serve.lines((url, out) -> {
            var consumer = new ZeroCopyConsumer<File>(out.toFile()) {
                @Override
                protected File process(HttpResponse response, File file, ContentType type) throws IOException {
                    if (response.getStatusLine().getStatusCode() != HttpStatus.SC_OK) {
                        throw new IOException(response.getStatusLine().toString());
                    }
                    return file;
                }
            };
            client.execute(HttpAsyncMethods.createGet(url), consumer, null).get();
        });
    }
}
