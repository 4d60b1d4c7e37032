package velodrome;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
class EchoController {
    record Answer(@JsonProperty("Name") String name, @JsonProperty("Sum") long sum) {}

    private static final int LARGEST_BODY = 16_777_216;

    private final ObjectMapper mapper;

    EchoController(ObjectMapper mapper) {
        this.mapper = mapper;
    }

    @GetMapping("/Perf/Echo")
    Answer echo(
            @RequestParam String name,
            @RequestParam int x,
            @RequestParam int y,
            @RequestParam int e,
            @RequestParam(defaultValue = "0") int size)
            throws JsonProcessingException {
        Limits.check(e, 2, 4);
        Limits.check(size, 0, LARGEST_BODY);
        var answer = new Answer(name, ((long) x + y) * e);
        return size == 0 ? answer : padded(answer, size);
    }

    /** The answer, with as many `x` behind the name as its JSON lacks of the size. */
    private Answer padded(Answer answer, int size) throws JsonProcessingException {
        int lacking = Math.max(0, size - mapper.writeValueAsBytes(answer).length);
        return new Answer(answer.name() + "x".repeat(lacking), answer.sum());
    }
}
