import java.io.IOException;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okio.Okio;

public final class OkHttp {
    public static void main(String[] args) throws IOException {
        var client = new OkHttpClient();
        Serve.lines((url, out) -> {
            try (var response = client.newCall(new Request.Builder().url(url).build()).execute()) {
                if (response.code() != 200) {
                    throw new IOException("status " + response.code());
                }
                try (var file = Okio.buffer(Okio.sink(out))) {
                    file.writeAll(response.body().source());
                }
            }
        });
    }
}
