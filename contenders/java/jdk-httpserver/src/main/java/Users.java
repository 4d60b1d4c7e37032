import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** The users in the file `user.json`. */
final class Users {
    record User(long id, String name, String email, int age, boolean active, String city) {}

    private final File file = new File(System.getenv("DATA_DIR"), "user.json");
    private final ObjectReader reader;

    Users(ObjectMapper mapper) {
        reader = mapper.readerForListOf(User.class);
    }

    /** The hash of a user's password; empty when there is no such user. The file is read anew each time. */
    Optional<String> hash(long id, String password) throws IOException {
        List<User> users = reader.readValue(file);
        if (users.stream().noneMatch(user -> user.id() == id)) {
            return Optional.empty();
        }
        byte[] digest = sha512().digest(password.getBytes(StandardCharsets.UTF_8));
        return Optional.of(HexFormat.of().formatHex(digest));
    }

    private static MessageDigest sha512() {
        try {
            return MessageDigest.getInstance("SHA-512");
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError("every JDK has SHA-512", impossible);
        }
    }
}
