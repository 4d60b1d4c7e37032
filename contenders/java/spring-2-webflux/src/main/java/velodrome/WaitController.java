package velodrome;

import java.time.Duration;
import org.springframework.context.annotation.Profile;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

@RestController
@Profile("!blocking")
class WaitController {
    @GetMapping("/wait/{ms:\\d+}")
    Mono<String> await(@PathVariable int ms) {
        Limits.checkWait(ms);
        return Mono.just("waited " + ms).delayElement(Duration.ofMillis(ms));
    }
}
