import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.function.UnaryOperator;

/** Echoes a name beside a sum, as `GET /Perf/Echo` asks. */
final class Echo {
    record Answer(@JsonProperty("Name") String name, @JsonProperty("Sum") long sum) {}

    private static final int LARGEST_BODY = 16_777_216;

    private final ObjectMapper mapper;

    Echo(ObjectMapper mapper) {
        this.mapper = mapper;
    }

    /**
     * The JSON that answers a query.
     *
     * @param query gives a parameter by its name, or null
     * @throws IllegalArgumentException when a parameter is missing, no number or out of its range
     */
    byte[] json(UnaryOperator<String> query) throws JsonProcessingException {
        String name = query.apply("name");
        if (name == null) {
            throw new IllegalArgumentException("the parameter name is missing");
        }
        long x = Integer.parseInt(query.apply("x"));
        long y = Integer.parseInt(query.apply("y"));
        int e = number("e", query.apply("e"), 2, 4);
        String wanted = query.apply("size");
        int size = wanted == null ? 0 : number("size", wanted, 0, LARGEST_BODY);

        var answer = new Answer(name, (x + y) * e);
        byte[] json = mapper.writeValueAsBytes(answer);
        if (json.length >= size) {
            return json;
        }
        return mapper.writeValueAsBytes(new Answer(name + "x".repeat(size - json.length), answer.sum()));
    }

    private static int number(String parameter, String text, int least, int most) {
        int number = Integer.parseInt(text);
        if (number < least || number > most) {
            throw new IllegalArgumentException("the parameter " + parameter + " is not from " + least + " to " + most);
        }
        return number;
    }
}
