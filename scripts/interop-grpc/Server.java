package velodrome;

import com.google.protobuf.ByteString;
import io.grpc.Context;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerBuilder;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.File;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import velodrome.numbers.Answer;
import velodrome.numbers.Ask;
import velodrome.numbers.NumbersGrpc;

/**
 * A server for scripts/interop-grpc.sh: grpc-java. Method One gives x-echo of a call's metadata back. It ends in order on SIGTERM, and
 * then prints how many messages it has received and sent, and how many calls it has ended itself with each status. Arguments: PORT [CERT KEY].
 */
public class Server extends NumbersGrpc.NumbersImplBase {
    private static final AtomicLong received = new AtomicLong();
    private static final AtomicLong sent = new AtomicLong();
    private static final AtomicLongArray ended = new AtomicLongArray(17);
    private static final Metadata.Key<String> ECHO = Metadata.Key.of("x-echo", Metadata.ASCII_STRING_MARSHALLER);

    public static void main(String[] arguments) throws Exception {
        // forPort listens on every address.
        ServerBuilder<?> builder = NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0])));
        if (arguments.length == 3) {
            builder.useTransportSecurity(new File(arguments[1]), new File(arguments[2]));
        }
        io.grpc.Server server = builder.addService(new Server()).intercept(new Echo()).build().start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                server.shutdown().awaitTermination(10, TimeUnit.SECONDS);
            } catch (InterruptedException error) {
                Thread.currentThread().interrupt();
            }
            StringBuilder line = new StringBuilder("counted " + received + " " + sent);
            for (int code = 0; code < ended.length(); code++) {
                if (ended.get(code) > 0) {
                    line.append(" ").append(code).append(":").append(ended.get(code));
                }
            }
            System.out.println(line);
        }));
        server.awaitTermination();
    }

    /** Sends back what came as x-echo. */
    private static class Echo implements ServerInterceptor {
        @Override
        public <Q, A> ServerCall.Listener<Q> interceptCall(ServerCall<Q, A> call, Metadata asked, ServerCallHandler<Q, A> next) {
            String echo = asked.get(ECHO);
            return next.startCall(new SimpleForwardingServerCall<>(call) {
                @Override
                public void sendHeaders(Metadata answered) {
                    if (echo != null) {
                        answered.put(ECHO, echo);
                    }
                    super.sendHeaders(answered);
                }
            }, asked);
        }
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
        ended.incrementAndGet(ask.getStatus());
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
        ended.incrementAndGet(0);
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
                ended.incrementAndGet(0);
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
                ended.incrementAndGet(0);
                answers.onCompleted();
            }
        };
    }
}
