import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;

/** A certificate and its key from the files that `TLS_CERT` and `TLS_KEY` name, as the key store that Java's TLS wants. */
final class Pem {
    /** It is kept in memory only, but a key in a key store has a password. */
    static final String PASSWORD = "none";

    private Pem() {}

    static KeyStore keyStore() throws IOException, GeneralSecurityException {
        var store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry("server", key(), PASSWORD.toCharArray(), chain());
        return store;
    }

    private static Certificate[] chain() throws IOException, GeneralSecurityException {
        try (InputStream file = Files.newInputStream(Path.of(System.getenv("TLS_CERT")))) {
            return CertificateFactory.getInstance("X.509").generateCertificates(file).toArray(Certificate[]::new);
        }
    }

    private static PrivateKey key() throws IOException, GeneralSecurityException {
        String base64 = Files.readString(Path.of(System.getenv("TLS_KEY"))).replaceAll("-----[A-Z ]+-----|\\s", "");
        // The lab's keys are of an elliptic curve; PKCS #8 says which.
        return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(base64)));
    }
}
