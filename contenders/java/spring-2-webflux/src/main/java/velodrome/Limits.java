package velodrome;

import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

final class Limits {
    private static final int MOST_MS = 60_000;

    private Limits() {}

    static void check(int ms) {
        if (ms > MOST_MS) {
            throw new ResponseStatusException(HttpStatus.BAD_REQUEST);
        }
    }
}
