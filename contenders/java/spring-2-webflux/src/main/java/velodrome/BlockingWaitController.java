package velodrome;

import java.util.concurrent.TimeUnit;
import org.springframework.context.annotation.Profile;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** What was published as "mvc": it sleeps on an event-loop thread of Netty, which no guide allows. */
@RestController
@Profile("blocking")
class BlockingWaitController {
    @GetMapping("/wait/{ms:\\d+}")
    String await(@PathVariable int ms) throws InterruptedException {
        Limits.checkWait(ms);
        TimeUnit.MILLISECONDS.sleep(ms);
        return "waited " + ms;
    }
}
