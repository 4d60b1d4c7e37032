import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.type.LogicalType;
import io.javalin.Javalin;
import io.javalin.http.Context;
import io.javalin.http.HttpResponseException;
import io.javalin.http.NotFoundResponse;
import io.javalin.json.JavalinJackson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

public final class Main {
    record Bet(Boolean bet) {}

    record Outcome(boolean win) {}

    record Credentials(String password) {}

    record Hashed(String hash) {}

    record Flagged(@JsonProperty("Flags") int flags) {}

    record Summed(@JsonProperty("Sum") long sum) {}

    record Echoed(@JsonProperty("Name") String name, @JsonProperty("Sum") long sum) {}

    public static void main(String[] args) {
        var json = new JavalinJackson().updateMapper(Main::configure);
        var users = new Users(json.getMapper());
        String host = System.getenv("HOST");
        int port = Integer.parseInt(System.getenv("PORT"));
        String protocol = System.getenv("PROTOCOL");
        Javalin.create(config -> {
            if (!protocol.equals("http1")) {
                config.jetty.addConnector((server, http) -> Connectors.of(protocol, server, http, host, port));
            }
            config.jsonMapper(json);
            config.routes.get("/", ctx -> ctx.result(""));
            config.routes.get("/user/{id}", ctx -> ctx.result(ctx.pathParam("id")));
            config.routes.post("/user", ctx -> ctx.result(""));
            config.routes.post("/coin", Main::coin);
            config.routes.get("/wait/{ms}", Main::pause);
            config.routes.put("/users/{id}", ctx -> hash(ctx, users));
            config.routes.get("/Perf/Echo", Main::echo);
            config.routes.get("/Perf/Flags", Main::flags);
            config.routes.get("/Perf/Array", Main::array);
            config.routes.get("/Perf/Void", ctx -> {});
            config.routes.get("/Perf/Status", Main::status);
            config.routes.get("/Perf/Throw", ctx -> {
                throw new IllegalStateException("velo-secret-detail");
            });
        }).start(host, port);
    }

    private static void configure(ObjectMapper mapper) {
        // Without it Jackson stops reading after the first value, and {"bet": true}x would pass as JSON.
        mapper.enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
        // Nor is {"password": 1} to pass as a string.
        mapper.coercionConfigFor(LogicalType.Textual)
            .setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
            .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
            .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail);
    }

    private static void coin(Context ctx) {
        Bet bet = ctx.bodyValidator(Bet.class)
            .check("bet", body -> body != null && body.bet() != null, "must be true or false")
            .get();
        boolean draw = ThreadLocalRandom.current().nextBoolean();
        ctx.json(new Outcome(draw == bet.bet()));
    }

    private static void pause(Context ctx) {
        int ms = ctx.pathParamAsClass("ms", Integer.class)
            .check(wanted -> wanted >= 0 && wanted <= 60_000, "must be 0 to 60000")
            .get();
        ctx.future(() -> new CompletableFuture<String>()
            .completeOnTimeout("waited " + ctx.pathParam("ms"), ms, TimeUnit.MILLISECONDS)
            .thenAccept(ctx::result));
    }

    private static void hash(Context ctx, Users users) throws IOException {
        long id = ctx.pathParamAsClass("id", Long.class).get();
        Credentials credentials = ctx.bodyValidator(Credentials.class)
            .check("password", body -> body != null && body.password() != null, "must be a string")
            .get();
        String hash = users.hash(id, credentials.password()).orElseThrow(NotFoundResponse::new);
        ctx.json(new Hashed(hash));
    }

    private static void echo(Context ctx) {
        // A check is asked about a missing parameter too, as null.
        String name = ctx.queryParamAsClass("name", String.class).get();
        long x = ctx.queryParamAsClass("x", Integer.class).get();
        long y = ctx.queryParamAsClass("y", Integer.class).get();
        int e = ctx.queryParamAsClass("e", Integer.class)
            .check(wanted -> wanted != null && wanted >= 2 && wanted <= 4, "must be 2, 3 or 4")
            .get();
        int size = ctx.queryParamAsClass("size", Integer.class)
            .check(wanted -> wanted == null || wanted >= 0 && wanted <= 16_777_216, "must be 0 to 16777216")
            .getOrDefault(0);
        var answer = new Echoed(name, (x + y) * e);
        ctx.json(size == 0 ? answer : padded(answer, size, ctx));
    }

    private static void flags(Context ctx) {
        ctx.json(new Flagged(ctx.queryParamAsClass("f", Integer.class).get()));
    }

    private static void array(Context ctx) {
        List<Integer> numbers = ctx.queryParamsAsClass("a", Integer.class).get();
        ctx.json(new Summed(numbers.stream().mapToLong(Integer::longValue).sum()));
    }

    private static void status(Context ctx) {
        int code = ctx.queryParamAsClass("code", Integer.class).get();
        throw new HttpResponseException(code, "the status that was asked for");
    }

    /** The answer, with as many `x` behind the name as its JSON lacks of the size. */
    private static Echoed padded(Echoed answer, int size, Context ctx) {
        String json = ctx.jsonMapper().toJsonString(answer, Echoed.class);
        int lacking = Math.max(0, size - json.getBytes(StandardCharsets.UTF_8).length);
        return new Echoed(answer.name() + "x".repeat(lacking), answer.sum());
    }
}
