package velodrome;

import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

final class Limits {
    private static final int MOST_MS = 60_000;

    private Limits() {}

    static void checkWait(int ms) {
        check(ms, 0, MOST_MS);
    }

    static void check(int value, int least, int most) {
        if (value < least || value > most) {
            throw new ResponseStatusException(HttpStatus.BAD_REQUEST);
        }
    }
}
