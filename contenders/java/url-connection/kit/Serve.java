import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads lines "URL TAB OUT" and answers each when its file is saved: nanoseconds and bytes, or nanoseconds and what went wrong. */
public final class Serve {
    /** Saves what an address names. */
    public interface Client {
        void get(String url, Path out) throws Exception;
    }

    private Serve() {}

    public static void lines(Client client) throws IOException {
        var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = input.readLine()) != null; ) {
            String[] fields = line.split("\t", 2);
            Path out = Path.of(fields[1]);
            long began = System.nanoTime();
            try {
                client.get(fields[0], out);
                long took = System.nanoTime() - began;
                System.out.println(took + "\t" + Files.size(out));
            } catch (Exception error) {
                long took = System.nanoTime() - began;
                System.out.println(took + "\terror: " + error.toString().replaceAll("\\s+", " "));
            }
            System.out.flush();
        }
        // Some clients keep threads that would keep the process.
        System.exit(0);
    }
}
