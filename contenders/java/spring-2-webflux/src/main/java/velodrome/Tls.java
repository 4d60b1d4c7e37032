package velodrome;

import java.io.File;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.web.embedded.netty.NettyServerCustomizer;
import org.springframework.boot.web.embedded.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import reactor.netty.http.Http11SslContextSpec;
import reactor.netty.http.Http2SslContextSpec;
import reactor.netty.http.HttpProtocol;

/** TLS by Reactor Netty itself: the properties of this Spring Boot know key stores only, no PEM files. */
@Configuration(proxyBeanMethods = false)
class Tls {
    @Bean
    @Profile("https1")
    WebServerFactoryCustomizer<NettyReactiveWebServerFactory> https1(
            @Value("${TLS_CERT}") File certificate, @Value("${TLS_KEY}") File key) {
        return with(server -> server
            .secure(spec -> spec.sslContext(Http11SslContextSpec.forServer(certificate, key))));
    }

    @Bean
    @Profile("h2")
    WebServerFactoryCustomizer<NettyReactiveWebServerFactory> h2(
            @Value("${TLS_CERT}") File certificate, @Value("${TLS_KEY}") File key) {
        return with(server -> server
            .protocol(HttpProtocol.H2, HttpProtocol.HTTP11)
            .secure(spec -> spec.sslContext(Http2SslContextSpec.forServer(certificate, key))));
    }

    private static WebServerFactoryCustomizer<NettyReactiveWebServerFactory> with(NettyServerCustomizer customizer) {
        return factory -> factory.addServerCustomizers(customizer);
    }
}
