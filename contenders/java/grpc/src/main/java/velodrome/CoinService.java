package velodrome;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.ThreadLocalRandom;
import velodrome.coin.Bet;
import velodrome.coin.CoinGrpc;
import velodrome.coin.Outcome;

class CoinService extends CoinGrpc.CoinImplBase {
    @Override
    public void toss(Bet request, StreamObserver<Outcome> responses) {
        if (!request.hasBet()) {
            responses.onError(Status.INVALID_ARGUMENT.withDescription("bet is missing").asRuntimeException());
            return;
        }
        boolean draw = ThreadLocalRandom.current().nextBoolean();
        responses.onNext(Outcome.newBuilder().setWin(draw == request.getBet()).build());
        responses.onCompleted();
    }
}
