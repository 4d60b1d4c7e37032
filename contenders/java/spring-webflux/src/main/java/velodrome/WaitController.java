package velodrome;

import jakarta.validation.constraints.Max;
import java.time.Duration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

@RestController
class WaitController {
    @GetMapping("/wait/{ms:\\d+}")
    Mono<String> await(@PathVariable @Max(60_000) int ms) {
        return Mono.delay(Duration.ofMillis(ms)).thenReturn("waited " + ms);
    }
}
