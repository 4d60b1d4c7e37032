import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Reads lines "URL TAB OUT" and answers each when its file is saved: nanoseconds and bytes, or nanoseconds and what went wrong. A line may
 * hold several such pairs.
 */
public final class Serve {
    /** Saves what an address names. */
    public interface Client {
        void get(String url, Path out) throws Exception;
    }

    // It has no threads before a line with several files comes.
    private static final ExecutorService THREADS =
        Executors.newFixedThreadPool(Integer.parseInt(System.getenv().getOrDefault("AT_ONCE", "1")));

    private Serve() {}

    public static void lines(Client client) throws IOException {
        var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = input.readLine()) != null; ) {
            String[] fields = line.split("\t");
            long began = System.nanoTime();
            try {
                if (fields.length == 2) {
                    client.get(fields[0], Path.of(fields[1]));
                } else {
                    getAll(client, fields);
                }
                long took = System.nanoTime() - began;
                long bytes = 0;
                for (int i = 1; i < fields.length; i += 2) {
                    bytes += Files.size(Path.of(fields[i]));
                }
                System.out.println(took + "\t" + bytes);
            } catch (Exception error) {
                long took = System.nanoTime() - began;
                System.out.println(took + "\terror: " + error.toString().replaceAll("\\s+", " "));
            }
            System.out.flush();
        }
        // Some clients keep threads that would keep the process.
        System.exit(0);
    }

    private static void getAll(Client client, String[] fields) throws Exception {
        var tasks = new ArrayList<Callable<Void>>();
        for (int i = 0; i < fields.length; i += 2) {
            String url = fields[i];
            Path out = Path.of(fields[i + 1]);
            tasks.add(() -> {
                client.get(url, out);
                return null;
            });
        }
        for (var file : THREADS.invokeAll(tasks)) {
            file.get();
        }
    }
}
