import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;

public class Program {
    public static void main(String[] args) throws Exception {
        var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (var line = lines.readLine(); line != null; line = lines.readLine()) {
            var start = System.nanoTime();
            var digest = MessageDigest.getInstance("SHA-512").digest(line.getBytes(StandardCharsets.UTF_8));
            var result = HexFormat.of().formatHex(digest);
            System.out.println(System.nanoTime() - start + "\t" + result);
        }
    }
}
