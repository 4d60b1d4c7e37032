package velodrome;

import jakarta.validation.constraints.Max;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

@RestController
class WaitController {
    @GetMapping("/wait/{ms:\\d+}")
    String await(@PathVariable @Max(60_000) int ms) throws InterruptedException {
        Thread.sleep(ms);
        return "waited " + ms;
    }
}
