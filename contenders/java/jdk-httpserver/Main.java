import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;

public final class Main {
    private static final String USER = "/user/";

    public static void main(String[] args) throws IOException {
        var address = new InetSocketAddress(System.getenv("HOST"), Integer.parseInt(System.getenv("PORT")));
        // The second argument is the backlog; its default of 50 is less than what a burst of new connections brings.
        var server = HttpServer.create(address, 1024);
        // Without an executor one thread does everything; 200 is what Jetty's pool grows to.
        server.setExecutor(Executors.newFixedThreadPool(200));
        server.createContext("/", Main::handle);
        server.start();
    }

    private static void handle(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        switch (exchange.getRequestMethod()) {
            case "GET" -> get(exchange, path);
            case "POST" -> post(exchange, path);
            default -> empty(exchange, 404);
        }
    }

    private static void get(HttpExchange exchange, String path) throws IOException {
        if (path.equals("/")) {
            empty(exchange, 200);
        } else if (path.startsWith(USER) && path.length() > USER.length() && path.indexOf('/', USER.length()) < 0) {
            send(exchange, "text/plain;charset=utf-8", path.substring(USER.length()));
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

    private static void coin(HttpExchange exchange) throws IOException {
        Object body;
        try {
            body = Json.parse(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        } catch (IllegalArgumentException broken) {
            empty(exchange, 400);
            return;
        }
        if (body instanceof Map<?, ?> map && map.get("bet") instanceof Boolean bet) {
            boolean draw = ThreadLocalRandom.current().nextBoolean();
            send(exchange, "application/json", "{\"win\":" + (draw == bet) + "}");
        } else {
            empty(exchange, 400);
        }
    }

    private static void send(HttpExchange exchange, String type, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
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
