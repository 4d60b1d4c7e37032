package velodrome;

import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import tools.jackson.databind.json.JsonMapper;

@RestController
class UsersController {
    record User(long id, String name, String email, int age, boolean active, String city) {}

    record Credentials(@NotNull String password) {}

    record Answer(String hash) {}

    private final JsonMapper mapper;
    private final Path file;

    UsersController(JsonMapper mapper, @Value("${DATA_DIR:}") String folder) {
        this.mapper = mapper;
        this.file = Path.of(folder, "user.json");
    }

    @PutMapping("/users/{id}")
    Answer update(@PathVariable long id, @Valid @RequestBody Credentials credentials) throws NoSuchAlgorithmException {
        User[] users = mapper.readValue(file, User[].class);
        if (Arrays.stream(users).noneMatch(user -> user.id() == id)) {
            throw new ResponseStatusException(HttpStatus.NOT_FOUND);
        }
        byte[] password = credentials.password().getBytes(StandardCharsets.UTF_8);
        byte[] digest = MessageDigest.getInstance("SHA-512").digest(password);
        return new Answer(HexFormat.of().formatHex(digest));
    }
}
