import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** The parameters of a query: the JDK's server has no parser for them. */
final class Query {
    private Query() {}

    /**
     * Each parameter's value by its name; of several with one name the first.
     *
     * @param raw the query as it came, or null when there is none
     * @throws IllegalArgumentException when the percent-encoding is broken
     */
    static Map<String, String> parse(String raw) {
        var parameters = new HashMap<String, String>();
        if (raw == null) {
            return parameters;
        }
        for (String parameter : raw.split("&")) {
            int equals = parameter.indexOf('=');
            String name = equals < 0 ? parameter : parameter.substring(0, equals);
            String value = equals < 0 ? "" : parameter.substring(equals + 1);
            parameters.putIfAbsent(decode(name), decode(value));
        }
        return parameters;
    }

    private static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}
