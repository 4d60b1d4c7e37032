import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.type.LogicalType;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;

public final class Main extends Handler.Abstract {
    record Bet(Boolean bet) {}

    record Outcome(boolean win) {}

    record Credentials(String password) {}

    record Flagged(@JsonProperty("Flags") int flags) {}

    record Summed(@JsonProperty("Sum") long sum) {}

    record Hashed(String hash) {}

    private static final String USER = "/user/";
    private static final String PERF = "/Perf/";
    private static final String USERS = "/users/";
    private static final String WAIT = "/wait/";

    private final ObjectMapper mapper = mapper();
    private final Users users = new Users(mapper);
    private final Echo echo = new Echo(mapper);

    public static void main(String[] args) throws Exception {
        var http = new HttpConfiguration();
        // Javalin leaves the Server header out too, so that both send the same bytes.
        http.setSendServerVersion(false);

        var server = new Server();
        var connector = Connectors.of(System.getenv("PROTOCOL"), server, http);
        connector.setHost(System.getenv("HOST"));
        connector.setPort(Integer.parseInt(System.getenv("PORT")));
        server.addConnector(connector);
        server.setHandler(new Main());
        server.start();
        server.join();
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        String path = Request.getPathInContext(request);
        return switch (request.getMethod()) {
            case "GET" -> get(path, request, response, callback);
            case "POST" -> post(path, request, response, callback);
            case "PUT" -> put(path, request, response, callback);
            // What no handler takes, the server answers with 404.
            default -> false;
        };
    }

    private boolean get(String path, Request request, Response response, Callback callback) throws Exception {
        if (path.equals("/")) {
            callback.succeeded();
            return true;
        }
        if (isBelow(path, USER)) {
            text(path.substring(USER.length()), response, callback);
            return true;
        }
        if (isBelow(path, WAIT)) {
            pause(path.substring(WAIT.length()), request, response, callback);
            return true;
        }
        if (path.equals("/Perf/Echo")) {
            echo(request, response, callback);
            return true;
        }
        return isBelow(path, PERF) && perform(path.substring(PERF.length()), request, response, callback);
    }

    private boolean post(String path, Request request, Response response, Callback callback) throws Exception {
        switch (path) {
            case "/user" -> callback.succeeded();
            case "/coin" -> coin(request, response, callback);
            default -> {
                return false;
            }
        }
        return true;
    }

    private boolean put(String path, Request request, Response response, Callback callback) throws Exception {
        if (!isBelow(path, USERS)) {
            return false;
        }
        hash(path.substring(USERS.length()), request, response, callback);
        return true;
    }

    /** Whether a path is the prefix and one more segment. */
    private static boolean isBelow(String path, String prefix) {
        return path.startsWith(prefix) && path.length() > prefix.length() && path.indexOf('/', prefix.length()) < 0;
    }

    private void coin(Request request, Response response, Callback callback) throws Exception {
        Bet bet;
        try {
            bet = mapper.readValue(Content.Source.asInputStream(request), Bet.class);
        } catch (JsonProcessingException broken) {
            bet = null;
        }
        if (bet == null || bet.bet() == null) {
            Response.writeError(request, response, callback, HttpStatus.BAD_REQUEST_400);
            return;
        }
        boolean draw = ThreadLocalRandom.current().nextBoolean();
        json(new Outcome(draw == bet.bet()), response, callback);
    }

    private void pause(String wanted, Request request, Response response, Callback callback) {
        int ms;
        try {
            ms = Integer.parseInt(wanted);
        } catch (NumberFormatException noNumber) {
            ms = -1;
        }
        if (ms < 0 || ms > 60_000) {
            Response.writeError(request, response, callback, HttpStatus.BAD_REQUEST_400);
            return;
        }
        Runnable answer = () -> text("waited " + wanted, response, callback);
        request.getComponents().getScheduler().schedule(answer, ms, TimeUnit.MILLISECONDS);
    }

    private void echo(Request request, Response response, Callback callback) throws Exception {
        Fields query = Request.extractQueryParameters(request);
        byte[] answer;
        try {
            answer = echo.json(query::getValue);
        } catch (IllegalArgumentException wrong) {
            Response.writeError(request, response, callback, HttpStatus.BAD_REQUEST_400);
            return;
        }
        send(answer, response, callback);
    }

    private boolean perform(String operation, Request request, Response response, Callback callback)
            throws Exception {
        Fields query = Request.extractQueryParameters(request);
        try {
            switch (operation) {
                case "Flags" -> json(new Flagged(Integer.parseInt(query.getValue("f"))), response, callback);
                case "Array" -> {
                    var numbers = query.getValuesOrEmpty("a").stream();
                    json(new Summed(numbers.mapToLong(Integer::parseInt).sum()), response, callback);
                }
                case "Void" -> callback.succeeded();
                case "Status" ->
                    Response.writeError(request, response, callback, Integer.parseInt(query.getValue("code")));
                case "Throw" -> throw new IllegalStateException("velo-secret-detail");
                default -> {
                    return false;
                }
            }
        } catch (NumberFormatException wrong) {
            Response.writeError(request, response, callback, HttpStatus.BAD_REQUEST_400);
        }
        return true;
    }

    private void hash(String wanted, Request request, Response response, Callback callback) throws Exception {
        long id;
        Credentials credentials;
        try {
            id = Long.parseLong(wanted);
            credentials = mapper.readValue(Content.Source.asInputStream(request), Credentials.class);
        } catch (NumberFormatException | JsonProcessingException broken) {
            Response.writeError(request, response, callback, HttpStatus.BAD_REQUEST_400);
            return;
        }
        if (credentials == null || credentials.password() == null) {
            Response.writeError(request, response, callback, HttpStatus.BAD_REQUEST_400);
            return;
        }
        Optional<String> hash = users.hash(id, credentials.password());
        if (hash.isEmpty()) {
            Response.writeError(request, response, callback, HttpStatus.NOT_FOUND_404);
            return;
        }
        json(new Hashed(hash.get()), response, callback);
    }

    private static void text(String text, Response response, Callback callback) {
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/plain;charset=utf-8");
        Content.Sink.write(response, true, text, callback);
    }

    private void json(Object value, Response response, Callback callback) throws JsonProcessingException {
        send(mapper.writeValueAsBytes(value), response, callback);
    }

    private static void send(byte[] json, Response response, Callback callback) {
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
        response.write(true, ByteBuffer.wrap(json), callback);
    }

    private static ObjectMapper mapper() {
        // Without it Jackson stops reading after the first value, and {"bet": true}x would pass as JSON.
        var mapper = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
        // Nor is {"password": 1} to pass as a string.
        mapper.coercionConfigFor(LogicalType.Textual)
            .setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
            .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
            .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail);
        return mapper;
    }
}
