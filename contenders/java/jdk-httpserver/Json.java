import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** A strict JSON reader: objects become maps, arrays lists, numbers doubles. Anything but JSON is an IllegalArgumentException. */
final class Json {
    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?");
    // Deeper nesting would end in a StackOverflowError, which is no IllegalArgumentException.
    private static final int DEPTH = 100;

    private final String text;
    private int at = 0;

    private Json(String text) {
        this.text = text;
    }

    static Object parse(String text) {
        var json = new Json(text);
        Object value = json.value(0);
        json.space();
        if (json.at < text.length()) {
            throw json.broken("something after the value");
        }
        return value;
    }

    private Object value(int depth) {
        if (depth > DEPTH) {
            throw broken("nested too deep");
        }
        space();
        return switch (peek()) {
            case '{' -> object(depth);
            case '[' -> array(depth);
            case '"' -> string();
            case 't' -> word("true", true);
            case 'f' -> word("false", false);
            case 'n' -> word("null", null);
            default -> number();
        };
    }

    private Map<String, Object> object(int depth) {
        var members = new HashMap<String, Object>();
        at++;
        if (skip('}')) {
            return members;
        }
        do {
            space();
            String name = string();
            expect(':');
            members.put(name, value(depth + 1));
        } while (skip(','));
        expect('}');
        return members;
    }

    private List<Object> array(int depth) {
        var items = new ArrayList<>();
        at++;
        if (skip(']')) {
            return items;
        }
        do {
            items.add(value(depth + 1));
        } while (skip(','));
        expect(']');
        return items;
    }

    private String string() {
        if (peek() != '"') {
            throw broken("a string was expected");
        }
        at++;
        var out = new StringBuilder();
        for (char c = next(); c != '"'; c = next()) {
            if (c < ' ') {
                throw broken("a control character in a string");
            }
            out.append(c == '\\' ? escape() : c);
        }
        return out.toString();
    }

    private char escape() {
        char c = next();
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> (char) (hex() << 12 | hex() << 8 | hex() << 4 | hex());
            default -> throw broken("an unknown escape");
        };
    }

    private int hex() {
        char c = next();
        if (c >= '0' && c <= '9') {
            return c - '0';
        }
        if (c >= 'a' && c <= 'f') {
            return c - 'a' + 10;
        }
        if (c >= 'A' && c <= 'F') {
            return c - 'A' + 10;
        }
        throw broken("a hexadecimal digit was expected");
    }

    private Double number() {
        var matcher = NUMBER.matcher(text).region(at, text.length());
        if (!matcher.lookingAt()) {
            throw broken("a value was expected");
        }
        at = matcher.end();
        return Double.valueOf(matcher.group());
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw broken("a value was expected");
        }
        at += word.length();
        return value;
    }

    private void space() {
        while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    /** Steps over c, and the space before it, when it comes next. */
    private boolean skip(char c) {
        space();
        if (peek() != c) {
            return false;
        }
        at++;
        return true;
    }

    private void expect(char c) {
        if (!skip(c)) {
            throw broken("'" + c + "' was expected");
        }
    }

    private char peek() {
        // 0 stands for the end: no JSON text can hold it outside a string, and inside one it is refused.
        return at < text.length() ? text.charAt(at) : 0;
    }

    private char next() {
        char c = peek();
        at++;
        return c;
    }

    private IllegalArgumentException broken(String what) {
        return new IllegalArgumentException(what + " at " + at);
    }
}
