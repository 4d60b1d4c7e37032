package velodrome;

import io.grpc.InsecureServerCredentials;
import io.grpc.ServerCredentials;
import io.grpc.TlsServerCredentials;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;

public class Server {
    public static void main(String[] args) throws IOException, InterruptedException {
        // The builder of the guide, Grpc.newServerBuilderForPort, listens on every address.
        InetSocketAddress address = new InetSocketAddress(System.getenv("HOST"), Integer.parseInt(System.getenv("PORT")));
        NettyServerBuilder.forAddress(address, credentials())
            .addService(new UserService())
            .addService(new CoinService())
            .addService(new AuthService())
            .build()
            .start()
            .awaitTermination();
    }

    private static ServerCredentials credentials() throws IOException {
        String certificate = System.getenv("TLS_CERT");
        if (certificate == null) {
            return InsecureServerCredentials.create();
        }
        return TlsServerCredentials.create(new File(certificate), new File(System.getenv("TLS_KEY")));
    }
}
