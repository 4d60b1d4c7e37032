import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

public final class Main {
    record Outcome(boolean win) {}

    record Hashed(String hash) {}

    private static final String USER = "/user/";
    private static final String USERS = "/users/";
    private static final String WAIT = "/wait/";
    private static final String JSON = "application/json";

    // Without it Jackson stops reading after the first value, and {"bet": true}x would pass as JSON.
    private static final ObjectMapper MAPPER = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    private static final Users ALL_USERS = new Users(MAPPER);
    private static final Echo ECHO = new Echo(MAPPER);

    // What the server's queue holds; its default of 50 is less than what a burst of new connections brings.
    private static final int BACKLOG = 1024;

    public static void main(String[] args) throws Exception {
        var address = new InetSocketAddress(System.getenv("HOST"), Integer.parseInt(System.getenv("PORT")));
        HttpServer server = System.getenv("TLS_CERT") == null ? HttpServer.create(address, BACKLOG) : encrypted(address);
        boolean virtual = args.length > 0 && args[0].equals("virtual-threads");
        // Without an executor one thread does everything; 200 is what Jetty's pool grows to.
        server.setExecutor(virtual ? virtualThreads() : Executors.newFixedThreadPool(200));
        server.createContext("/", Main::handle);
        server.start();
    }

    private static HttpServer encrypted(InetSocketAddress address) throws IOException, GeneralSecurityException {
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(Pem.keyStore(), Pem.PASSWORD.toCharArray());
        var context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        var server = HttpsServer.create(address, BACKLOG);
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        return server;
    }

    private static ExecutorService virtualThreads() throws ReflectiveOperationException {
        // By its name, because this is compiled for Java 17, which lacks it.
        return (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    }

    private static void handle(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        switch (exchange.getRequestMethod()) {
            case "GET" -> get(exchange, path);
            case "POST" -> post(exchange, path);
            case "PUT" -> put(exchange, path);
            default -> empty(exchange, 404);
        }
    }

    private static void get(HttpExchange exchange, String path) throws IOException {
        if (path.equals("/")) {
            empty(exchange, 200);
        } else if (isBelow(path, USER)) {
            text(exchange, path.substring(USER.length()));
        } else if (isBelow(path, WAIT)) {
            pause(exchange, path.substring(WAIT.length()));
        } else if (path.equals("/Perf/Echo")) {
            echo(exchange);
        } else {
            empty(exchange, 404);
        }
    }

    private static void post(HttpExchange exchange, String path) throws IOException {
        switch (path) {
            case "/user" -> empty(exchange, 200);
            case "/coin" -> coin(exchange);
            default -> empty(exchange, 404);
        }
    }

    private static void put(HttpExchange exchange, String path) throws IOException {
        if (isBelow(path, USERS)) {
            hash(exchange, path.substring(USERS.length()));
        } else {
            empty(exchange, 404);
        }
    }

    /** Whether a path is the prefix and one more segment. */
    private static boolean isBelow(String path, String prefix) {
        return path.startsWith(prefix) && path.length() > prefix.length() && path.indexOf('/', prefix.length()) < 0;
    }

    private static void coin(HttpExchange exchange) throws IOException {
        JsonNode bet = body(exchange).path("bet");
        if (!bet.isBoolean()) {
            empty(exchange, 400);
            return;
        }
        boolean draw = ThreadLocalRandom.current().nextBoolean();
        json(exchange, new Outcome(draw == bet.booleanValue()));
    }

    private static void pause(HttpExchange exchange, String wanted) throws IOException {
        int ms;
        try {
            ms = Integer.parseInt(wanted);
        } catch (NumberFormatException noNumber) {
            ms = -1;
        }
        if (ms < 0 || ms > 60_000) {
            empty(exchange, 400);
            return;
        }
        try {
            Thread.sleep(ms);
        } catch (InterruptedException interrupted) {
            throw new InterruptedIOException();
        }
        text(exchange, "waited " + wanted);
    }

    private static void echo(HttpExchange exchange) throws IOException {
        byte[] answer;
        try {
            Map<String, String> query = Query.parse(exchange.getRequestURI().getRawQuery());
            answer = ECHO.json(query::get);
        } catch (IllegalArgumentException wrong) {
            empty(exchange, 400);
            return;
        }
        send(exchange, JSON, answer);
    }

    private static void hash(HttpExchange exchange, String wanted) throws IOException {
        long id;
        try {
            id = Long.parseLong(wanted);
        } catch (NumberFormatException noNumber) {
            empty(exchange, 400);
            return;
        }
        JsonNode password = body(exchange).path("password");
        if (!password.isTextual()) {
            empty(exchange, 400);
            return;
        }
        Optional<String> hash = ALL_USERS.hash(id, password.textValue());
        if (hash.isEmpty()) {
            empty(exchange, 404);
            return;
        }
        json(exchange, new Hashed(hash.get()));
    }

    /** The body of a request; a missing node when it is not JSON. */
    private static JsonNode body(HttpExchange exchange) throws IOException {
        byte[] bytes = exchange.getRequestBody().readAllBytes();
        try {
            return MAPPER.readTree(bytes);
        } catch (JsonProcessingException broken) {
            return MissingNode.getInstance();
        }
    }

    private static void text(HttpExchange exchange, String text) throws IOException {
        send(exchange, "text/plain;charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
    }

    private static void json(HttpExchange exchange, Object value) throws IOException {
        send(exchange, JSON, MAPPER.writeValueAsBytes(value));
    }

    private static void send(HttpExchange exchange, String type, byte[] bytes) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(200, bytes.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(bytes);
        }
    }

    private static void empty(HttpExchange exchange, int status) throws IOException {
        // -1 means no body, and ends the exchange; 0 would mean a chunked one.
        exchange.sendResponseHeaders(status, -1);
    }
}
