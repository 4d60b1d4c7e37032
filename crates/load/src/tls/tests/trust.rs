use super::super::{TlsError, TlsOptions, TlsSettings, TlsVersions, Trust};
use super::pair::{Authority, HOST, Identity, Pair, Server, WHOLE, options, settings};

/// How a connection to `server_name` ends at a server with `identity`; also that the server is told of a refusal.
fn outcome(
    trust: Trust,
    server_name: &str,
    identity: &Identity,
    versions: TlsVersions,
) -> Result<(), TlsError> {
    let settings = settings(TlsOptions { trust, versions, ..TlsOptions::new(server_name) });
    let mut pair = Pair::new(&settings, &Server::default().config(identity));
    let outcome = pair.exchange(WHOLE);
    if outcome.is_err() {
        let alert = pair.client_output();
        assert!(!alert.is_empty());
        pair.server.read_tls(&mut &alert[..]).unwrap();
        assert!(pair.server.process_new_packets().is_err());
    }
    outcome
}

const EACH: [TlsVersions; 2] = [TlsVersions::Tls12, TlsVersions::Tls13];

#[test]
fn an_unknown_issuer_is_refused() {
    let identity = Authority::new().issue_for(&[HOST]);
    for versions in EACH {
        let error = outcome(Trust::Pem(Authority::new().pem()), HOST, &identity, versions).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the certificate is not trusted: unknown issuer; -k accepts it, --cacert FILE trusts its authority"
        );
    }
}

#[test]
fn a_certificate_for_other_names_is_refused() {
    let authority = Authority::new();
    let identity = authority.issue_for(&["a.test", "*.b.test", "127.0.0.1"]);
    for versions in EACH {
        let error = outcome(Trust::Pem(authority.pem()), HOST, &identity, versions).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the certificate is for `a.test`, `*.b.test`, `127.0.0.1`, not `velo.test`; -k accepts it"
        );
    }
}

#[test]
fn each_name_in_a_certificate_is_accepted() {
    let authority = Authority::new();
    let identity = authority.issue_for(&["a.test", "*.b.test", "127.0.0.1", "::1"]);
    for name in ["a.test", "A.Test", "x.b.test", "127.0.0.1", "::1", "[::1]"] {
        assert_eq!(
            outcome(Trust::Pem(authority.pem()), name, &identity, TlsVersions::Both),
            Ok(()),
            "{name}"
        );
    }
}

#[test]
fn a_certificate_out_of_date_is_refused() {
    let authority = Authority::new();
    let error = outcome(Trust::Pem(authority.pem()), HOST, &authority.issue_expired(), TlsVersions::Both)
        .unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("the certificate expired "), "{text}");
    assert!(text.ends_with(" days ago; -k accepts it"), "{text}");
}

#[test]
fn a_self_signed_certificate_is_refused_unless_named() {
    let identity = Identity::self_signed();
    for versions in EACH {
        let error = outcome(Trust::Pem(Authority::new().pem()), HOST, &identity, versions).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the certificate is not trusted: it is self-signed; \
             -k accepts it, --cacert FILE trusts its authority"
        );
        let named = Trust::Pem(identity.certificate.pem().into_bytes());
        assert_eq!(outcome(named.clone(), HOST, &identity, versions), Ok(()));
        let error = outcome(named, "other.test", &identity, versions).unwrap_err();
        assert!(matches!(error, TlsError::WrongName { .. }), "{error}");
    }
}

#[test]
fn anything_is_accepted_when_nothing_is_checked() {
    for versions in EACH {
        for identity in [
            Authority::new().issue_for(&["a.test"]),
            Authority::new().issue_expired(),
            Identity::self_signed(),
        ] {
            assert_eq!(outcome(Trust::Anything, "b.test", &identity, versions), Ok(()));
        }
    }
}

#[test]
fn what_cannot_be_used_is_said_before_any_connection() {
    let told = |options: TlsOptions| TlsSettings::new(options).unwrap_err().to_string();
    let authority = Authority::new();
    assert_eq!(
        told(TlsOptions { server_name: "a b".to_owned(), ..options(&authority) }),
        "`a b` is neither a host name nor an IP address; a name with letters outside ASCII is written as xn--.."
    );
    assert_eq!(
        told(TlsOptions { trust: Trust::Pem(b"what?".to_vec()), ..TlsOptions::new(HOST) }),
        "the certificate authorities cannot be used: no certificate found; expected certificates in PEM"
    );
    let Identity { certificate, key } = authority.issue_client();
    let certificate = certificate.pem().into_bytes();
    for (chain, key, problem) in [
        (Vec::new(), key.serialize_pem().into_bytes(), "no certificate found"),
        (certificate.clone(), Vec::new(), "no private key found"),
        (certificate.clone(), ENCRYPTED_PKCS8.into(), "openssl pkey -in KEY -out PLAIN"),
        (certificate.clone(), ENCRYPTED_EC.into(), "openssl pkey -in KEY -out PLAIN"),
        (certificate.clone(), P521_KEY.into(), "ECDSA with P-256 or P-384"),
        (certificate.clone(), "-----BEGIN PRIVATE KEY-----\nabc-\n".into(), "the key: no line `-----END"),
        (certificate.clone(), NOT_BASE64.into(), "the key: what stands between BEGIN and END is not base64"),
        (certificate, authority.issue_client().key.serialize_pem().into_bytes(), "the key is not that"),
    ] {
        let text = told(TlsOptions { client_identity: Some((chain, key)), ..options(&authority) });
        assert!(text.starts_with("the client's certificate cannot be used: "), "{text}");
        assert!(text.contains(problem), "{text}");
    }
}

#[test]
fn a_system_without_authorities_says_what_to_do() {
    match TlsSettings::new(TlsOptions::new(HOST)) {
        Ok(settings) => assert_eq!(settings.server_name.to_str(), HOST),
        Err(error) => assert!(error.to_string().contains("--cacert"), "{error}"),
    }
}

#[test]
fn a_clients_certificate_of_version_1_is_sent_as_it_is() {
    let identity = |key: &str| Some((V1_CERTIFICATE.into(), key.into()));
    let made =
        |client_identity| TlsSettings::new(TlsOptions { client_identity, ..options(&Authority::new()) });
    assert!(made(identity(V1_KEY)).is_ok());
    // Its key cannot be compared with it: what does not fit is for the server to refuse.
    assert!(made(identity(P521_KEY)).is_err());
}

/// Of `openssl x509 -req` without `-extfile`.
const V1_CERTIFICATE: &str = "\
-----BEGIN CERTIFICATE-----
MIIBHjCBxQIUEV+/XCQTUKbpgCdZQ8GVrDympT4wCgYIKoZIzj0EAwIwETEPMA0G
A1UEAwwGY2xpZW50MCAXDTI2MTEyODE4MDcyMloYDzIxMjYxMTA0MTgwNzIyWjAR
MQ8wDQYDVQQDDAZjbGllbnQwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARbRIL2
68SrdFcp1YbLza9r0DQKBwrYocAC1tCYpw2Of2A6DAgwx9w5wkWJZjyWIYHmxZHO
0J4ZnLkfAiTw6RMZMAoGCCqGSM49BAMCA0gAMEUCIBKhghLyWfNzu4MTB32z1cCe
MSs0qWlFge2I1/1bMdRZAiEAlezcx7wf0fRe/njU1Az6JYJnrD7eZFcsJHn94VWf
Ls8=
-----END CERTIFICATE-----
";

const V1_KEY: &str = "\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgIVY1G6tg5cPfDRzs
pFVn80obp2laH6ti6SHWubSQdDGhRANCAARbRIL268SrdFcp1YbLza9r0DQKBwrY
ocAC1tCYpw2Of2A6DAgwx9w5wkWJZjyWIYHmxZHO0J4ZnLkfAiTw6RMZ
-----END PRIVATE KEY-----
";

const P521_KEY: &str = "\
-----BEGIN PRIVATE KEY-----
MIHuAgEAMBAGByqGSM49AgEGBSuBBAAjBIHWMIHTAgEBBEIA8Q1N5xFbtWIKht72
3C4bgmRJlxoCb/eWrRWocccd0OiauvO/Q5gOu3DmpPoZdD8B7fZCHf0deLb5MRa5
jx8gHJOhgYkDgYYABAEl5AWRx+PRi0rCkTVtN2DZoj0t5C6+bXO03Pa8mxb4pWuf
TYe7vTODmipKpTxm10hMhNnfkozJxnp/NOClgk4w/gFS/R48osK6NhaeK1RLBygv
+Ld3Gpe1SGKNlz/Flq4hKb8bn24I5JxqreDfSyKOq2NtaiX4Lj5o7ZbizLfjkJSU
iA==
-----END PRIVATE KEY-----
";

const ENCRYPTED_EC: &str = "\
-----BEGIN EC PRIVATE KEY-----
Proc-Type: 4,ENCRYPTED
DEK-Info: AES-256-CBC,F6E0F8D79DA7A89EE165792BD28A022D

H9KkDvwBU/q7cluRpw+Xmv62q591jjq5nTohzD5X5i7p40bjK/v6m9UJp2/Xs34n
u2PYZAljXZX9+hjFel83tPj+i+JulktbjHzGQRrso1XUKunkw7rSblVcmiRUlXsa
s7XoCrS8tnE+wTd5mgicUeCTxuQzYvL7j7IJgsqo86g=
-----END EC PRIVATE KEY-----
";

const ENCRYPTED_PKCS8: &str =
    "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIHs\n-----END ENCRYPTED PRIVATE KEY-----\n";
const NOT_BASE64: &str = "-----BEGIN PRIVATE KEY-----\na-b-\n-----END PRIVATE KEY-----\n";
