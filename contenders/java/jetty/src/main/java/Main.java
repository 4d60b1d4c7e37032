import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.ByteBuffer;
import java.util.concurrent.ThreadLocalRandom;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;

public final class Main extends Handler.Abstract {
    record Bet(Boolean bet) {}

    record Outcome(boolean win) {}

    private static final String USER = "/user/";

    // Without it Jackson stops reading after the first value, and {"bet": true}x would pass as JSON.
    private final ObjectMapper mapper = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    public static void main(String[] args) throws Exception {
        var http = new HttpConfiguration();
        // Javalin leaves the Server header out too, so that both send the same bytes.
        http.setSendServerVersion(false);

        var server = new Server();
        var connector = new ServerConnector(server, new HttpConnectionFactory(http));
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
            case "GET" -> get(path, response, callback);
            case "POST" -> post(path, request, response, callback);
            // What no handler takes, the server answers with 404.
            default -> false;
        };
    }

    private boolean get(String path, Response response, Callback callback) {
        if (path.equals("/")) {
            callback.succeeded();
            return true;
        }
        if (path.startsWith(USER) && path.length() > USER.length() && path.indexOf('/', USER.length()) < 0) {
            response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/plain;charset=utf-8");
            Content.Sink.write(response, true, path.substring(USER.length()), callback);
            return true;
        }
        return false;
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
        byte[] json = mapper.writeValueAsBytes(new Outcome(draw == bet.bet()));
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
        response.write(true, ByteBuffer.wrap(json), callback);
    }
}
