import java.io.IOException;
import java.security.GeneralSecurityException;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/** The connectors that Javalin does not make by itself, as Jetty's programming guide writes each. */
final class Connectors {
    private Connectors() {}

    static ServerConnector of(String protocol, Server server, HttpConfiguration config, String host, int port) {
        ServerConnector connector;
        try {
            connector = switch (protocol) {
                case "https1" -> https1(server, config);
                case "h2c" -> new ServerConnector(
                    server, new HttpConnectionFactory(config), new HTTP2CServerConnectionFactory(config));
                case "h2" -> h2(server, config);
                default -> throw new IllegalArgumentException("PROTOCOL: expected https1, h2c or h2, got " + protocol);
            };
        } catch (IOException | GeneralSecurityException unreadable) {
            throw new IllegalStateException("TLS_CERT and TLS_KEY cannot be used", unreadable);
        }
        connector.setHost(host);
        connector.setPort(port);
        return connector;
    }

    private static ServerConnector https1(Server server, HttpConfiguration config)
            throws IOException, GeneralSecurityException {
        var http1 = new HttpConnectionFactory(secure(config));
        return new ServerConnector(server, new SslConnectionFactory(certificate(), http1.getProtocol()), http1);
    }

    private static ServerConnector h2(Server server, HttpConfiguration config)
            throws IOException, GeneralSecurityException {
        HttpConfiguration secure = secure(config);
        var http1 = new HttpConnectionFactory(secure);
        var alpn = new ALPNServerConnectionFactory();
        alpn.setDefaultProtocol(http1.getProtocol());
        var tls = new SslConnectionFactory(certificate(), alpn.getProtocol());
        return new ServerConnector(server, tls, alpn, new HTTP2ServerConnectionFactory(secure), http1);
    }

    private static HttpConfiguration secure(HttpConfiguration config) {
        var secure = new HttpConfiguration(config);
        secure.addCustomizer(new SecureRequestCustomizer());
        return secure;
    }

    private static SslContextFactory.Server certificate() throws IOException, GeneralSecurityException {
        var certificate = new SslContextFactory.Server();
        certificate.setKeyStore(Pem.keyStore());
        certificate.setKeyStorePassword(Pem.PASSWORD);
        return certificate;
    }
}
