package velodrome;

import com.google.protobuf.ByteString;
import io.grpc.Context;
import io.grpc.ServerBuilder;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.File;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import velodrome.numbers.Answer;
import velodrome.numbers.Ask;
import velodrome.numbers.NumbersGrpc;

/**
 * A server for scripts/interop-grpc.sh: grpc-java. It ends in order on SIGTERM, and then prints how many calls it has ended itself, and how
 * many messages it has received and sent. Arguments: PORT [CERT KEY].
 */
public class Server extends NumbersGrpc.NumbersImplBase {
    private static final AtomicLong calls = new AtomicLong();
    private static final AtomicLong received = new AtomicLong();
    private static final AtomicLong sent = new AtomicLong();

    public static void main(String[] arguments) throws Exception {
        ServerBuilder<?> builder = NettyServerBuilder.forPort(Integer.parseInt(arguments[0]));
        if (arguments.length == 3) {
            builder.useTransportSecurity(new File(arguments[1]), new File(arguments[2]));
        }
        io.grpc.Server server = builder.addService(new Server()).build().start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                server.shutdown().awaitTermination(10, TimeUnit.SECONDS);
            } catch (InterruptedException error) {
                Thread.currentThread().interrupt();
            }
            System.out.println("counted " + calls + " " + received + " " + sent);
        }));
        server.awaitTermination();
    }

    private static Answer answer(Ask ask) {
        return Answer.newBuilder()
                .setNumber(ask.getNumber())
                .setPadding(ByteString.copyFrom(new byte[ask.getPadding()]))
                .build();
    }

    @Override
    public void one(Ask ask, StreamObserver<Answer> answers) {
        received.incrementAndGet();
        try {
            Thread.sleep(ask.getWaitMs());
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
        if (Context.current().isCancelled()) {
            return;
        }
        calls.incrementAndGet();
        if (ask.getStatus() != 0) {
            answers.onError(Status.fromCodeValue(ask.getStatus()).withDescription("as was asked").asRuntimeException());
            return;
        }
        sent.incrementAndGet();
        answers.onNext(answer(ask));
        answers.onCompleted();
    }

    @Override
    public void down(Ask ask, StreamObserver<Answer> answers) {
        received.incrementAndGet();
        for (int i = 0; i < ask.getCount(); i++) {
            sent.incrementAndGet();
            answers.onNext(answer(ask));
        }
        calls.incrementAndGet();
        answers.onCompleted();
    }

    @Override
    public StreamObserver<Ask> up(StreamObserver<Answer> answers) {
        return new StreamObserver<>() {
            private long number;
            private int count;

            @Override
            public void onNext(Ask ask) {
                received.incrementAndGet();
                number += ask.getNumber();
                count++;
            }

            @Override
            public void onError(Throwable error) {}

            @Override
            public void onCompleted() {
                calls.incrementAndGet();
                sent.incrementAndGet();
                answers.onNext(Answer.newBuilder().setNumber(number).setCount(count).build());
                answers.onCompleted();
            }
        };
    }

    @Override
    public StreamObserver<Ask> both(StreamObserver<Answer> answers) {
        // A call that was given up is no error here.
        ((ServerCallStreamObserver<Answer>) answers).setOnCancelHandler(() -> {});
        return new StreamObserver<>() {
            @Override
            public void onNext(Ask ask) {
                received.incrementAndGet();
                sent.incrementAndGet();
                answers.onNext(answer(ask));
            }

            @Override
            public void onError(Throwable error) {}

            @Override
            public void onCompleted() {
                calls.incrementAndGet();
                answers.onCompleted();
            }
        };
    }
}
