import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/** Answers each line of standard input, an id and a password, with the nanoseconds that it took and the hash. */
final class Program {
    record User(long id, String name, String email, int age, boolean active, String city) {}

    /** How a library reads the file of users. */
    interface Reader {
        List<User> read(File file) throws IOException;
    }

    static void run(Reader reader) throws IOException {
        var file = new File(System.getenv("DATA_DIR"), "user.json");
        var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            int tab = line.indexOf('\t');
            long id = Long.parseLong(line.substring(0, tab));
            String password = line.substring(tab + 1);

            long start = System.nanoTime();
            List<User> users = reader.read(file);
            boolean known = users.stream().anyMatch(user -> user.id() == id);
            String answer = known ? hash(password) : "absent";
            long elapsed = System.nanoTime() - start;

            System.out.println(elapsed + "\t" + answer);
            System.out.flush();
        }
    }

    private static String hash(String password) {
        try {
            var sha512 = MessageDigest.getInstance("SHA-512");
            return HexFormat.of().formatHex(sha512.digest(password.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError("every JDK has SHA-512", impossible);
        }
    }
}
