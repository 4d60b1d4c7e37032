package velodrome;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** The optional operations of echo. */
@RestController
@RequestMapping("/Perf")
class PerfController {
    record Flagged(@JsonProperty("Flags") int flags) {}

    record Summed(@JsonProperty("Sum") long sum) {}

    @GetMapping("/Flags")
    Flagged flags(@RequestParam int f) {
        return new Flagged(f);
    }

    @GetMapping("/Array")
    Summed array(@RequestParam List<Integer> a) {
        return new Summed(a.stream().mapToLong(Integer::longValue).sum());
    }

    @GetMapping("/Void")
    void nothing() {}

    @GetMapping("/Status")
    void status(@RequestParam int code) {
        throw new ResponseStatusException(HttpStatus.valueOf(code));
    }

    @GetMapping("/Throw")
    void fail() {
        throw new IllegalStateException("velo-secret-detail");
    }
}
