package velodrome;

import com.fasterxml.jackson.annotation.JsonProperty;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.json.JsonMapper;

@RestController
class EchoController {
    record Answer(@JsonProperty("Name") String name, @JsonProperty("Sum") long sum) {}

    private final JsonMapper mapper;

    EchoController(JsonMapper mapper) {
        this.mapper = mapper;
    }

    @GetMapping("/Perf/Echo")
    Answer echo(
            @RequestParam String name,
            @RequestParam int x,
            @RequestParam int y,
            @RequestParam @Min(2) @Max(4) int e,
            @RequestParam(defaultValue = "0") @Min(0) @Max(16_777_216) int size) {
        var answer = new Answer(name, ((long) x + y) * e);
        return size == 0 ? answer : padded(answer, size);
    }

    /** The answer, with as many `x` behind the name as its JSON lacks of the size. */
    private Answer padded(Answer answer, int size) {
        int lacking = Math.max(0, size - mapper.writeValueAsBytes(answer).length);
        return new Answer(answer.name() + "x".repeat(lacking), answer.sum());
    }
}
