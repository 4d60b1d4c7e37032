import com.fasterxml.jackson.databind.DeserializationFeature;
import io.javalin.Javalin;
import io.javalin.http.Context;
import io.javalin.json.JavalinJackson;
import java.util.concurrent.ThreadLocalRandom;

public final class Main {
    record Bet(Boolean bet) {}

    record Outcome(boolean win) {}

    public static void main(String[] args) {
        Javalin.create(config -> {
            // Without it Jackson stops reading after the first value, and {"bet": true}x would pass as JSON.
            config.jsonMapper(new JavalinJackson().updateMapper(mapper -> mapper.enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)));
            config.routes.get("/", ctx -> ctx.result(""));
            config.routes.get("/user/{id}", ctx -> ctx.result(ctx.pathParam("id")));
            config.routes.post("/user", ctx -> ctx.result(""));
            config.routes.post("/coin", Main::coin);
        }).start(System.getenv("HOST"), Integer.parseInt(System.getenv("PORT")));
    }

    private static void coin(Context ctx) {
        Bet bet = ctx.bodyValidator(Bet.class)
            .check("bet", body -> body != null && body.bet() != null, "must be true or false")
            .get();
        boolean draw = ThreadLocalRandom.current().nextBoolean();
        ctx.json(new Outcome(draw == bet.bet()));
    }
}
