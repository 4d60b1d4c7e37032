import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;

public class Server {
    public static void main(String[] args) throws IOException {
        var port = Integer.parseInt(System.getenv("PORT"));
        var server = HttpServer.create(new InetSocketAddress(System.getenv("HOST"), port), 1024);
        server.createContext("/", Server::route);
        server.setExecutor(Executors.newCachedThreadPool());
        server.start();
    }

    private static void route(HttpExchange exchange) throws IOException {
        exchange.getRequestBody().readAllBytes();
        var parts = exchange.getRequestURI().getPath().split("/", -1);
        switch (exchange.getRequestMethod()) {
            case "GET" -> {
                if (parts.length == 2 && parts[1].isEmpty()) {
                    answer(exchange, 200, "");
                } else if (parts.length == 3 && parts[1].equals("hello") && parts[2].matches("[0-9]+")) {
                    answer(exchange, 200, "hello " + parts[2]);
                } else if (parts.length == 3 && parts[1].equals("user") && !parts[2].isEmpty()) {
                    answer(exchange, 200, parts[2]);
                } else {
                    answer(exchange, 404, "");
                }
            }
            case "POST" -> answer(exchange, parts.length == 2 && parts[1].equals("user") ? 200 : 404, "");
            default -> answer(exchange, 405, "");
        }
    }

    private static void answer(HttpExchange exchange, int status, String text) throws IOException {
        var body = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "text/plain");
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }
}
