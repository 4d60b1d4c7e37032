import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.ByteBufFlux;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.client.HttpClientResponse;

public final class ReactorNetty {
    public static void main(String[] args) throws IOException {
        var client = HttpClient.create();
        Serve.lines((url, out) -> client.get().uri(url).response((head, body) -> save(head, body, out)).blockLast());
    }

    private static Publisher<Void> save(HttpClientResponse head, ByteBufFlux body, Path out) {
        if (head.status().code() != 200) {
            return Mono.error(new IOException("status " + head.status()));
        }
        Callable<OutputStream> open = () -> Files.newOutputStream(out);
        return Flux.using(open, file -> body.doOnNext(bytes -> {
            try {
                bytes.readBytes(file, bytes.readableBytes());
            } catch (IOException error) {
                throw new java.io.UncheckedIOException(error);
            }
        }).thenMany(Flux.<Void>empty()), file -> {
            try {
                file.close();
            } catch (IOException error) {
                throw new java.io.UncheckedIOException(error);
            }
        });
    }
}
