//! What a contender is encrypted with: an authority and a certificate of its own, made for one run and believed by nobody else.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp, Zoned, tz::TimeZone};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};
use velo_load::{TlsOptions, TlsSettings, Trust};
use velo_model::Protocol;

/// Names that the certificate is for: where contenders listen.
const NAMES: [&str; 3] = ["127.0.0.1", "::1", "localhost"];
/// Where the lab's contenders are reached, and so the name that is checked.
const SERVER_NAME: &str = "127.0.0.1";
/// Certificates are good from so long before, since the clocks of two time zones may be read.
const BEFORE: SignedDuration = SignedDuration::from_hours(48);
/// And for so long: no run takes a month.
const AFTER: SignedDuration = SignedDuration::from_hours(24 * 31);

/// The files for contenders, and how to trust them.
#[derive(Debug, Clone)]
pub(crate) struct Certificates {
    /// The server's certificate, PEM.
    pub(crate) certificate: PathBuf,
    /// Its key, PKCS #8 in PEM; readable by this user alone.
    pub(crate) key: PathBuf,
    /// What connections to contenders use, over HTTP/1.1 and over HTTP/2.
    settings: [Arc<TlsSettings>; 2],
}

impl Certificates {
    /// Makes an authority and a server's certificate, and writes the latter into a folder. The authority's key is kept nowhere.
    ///
    /// # Errors
    /// When the files cannot be written, or the system gives no random bytes.
    pub(crate) fn make(folder: &Path) -> io::Result<Self> {
        let (authority, certificate, key) = pems().map_err(io::Error::other)?;
        let options = TlsOptions {
            trust: Trust::Pem(authority.into_bytes()),
            // Contenders share the name, so that what one gave to resume would be offered to another.
            resumption: false,
            ..TlsOptions::new(SERVER_NAME)
        };
        let made = |options| TlsSettings::new(options).map(Arc::new).map_err(io::Error::other);
        let settings = [made(options.clone())?, made(options.for_http2())?];
        fs::create_dir_all(folder)?;
        let write = |name: &str, pem: &str| {
            let path = folder.join(name);
            let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
            file.write_all(pem.as_bytes())?;
            Ok::<_, io::Error>(path)
        };
        Ok(Self { certificate: write("cert.pem", &certificate)?, key: write("key.pem", &key)?, settings })
    }
}

impl Certificates {
    /// What connections in a protocol use; nothing where it is not encrypted.
    pub(crate) fn settings(&self, protocol: Protocol) -> Option<Arc<TlsSettings>> {
        let [http1, http2] = &self.settings;
        let own = if protocol.is_http2() { http2 } else { http1 };
        protocol.is_encrypted().then(|| Arc::clone(own))
    }
}

/// The authority's certificate, the server's, and the server's key.
fn pems() -> Result<(String, String, String), rcgen::Error> {
    let mut authority = params(&[], "Velodrome, an authority of one run")?;
    authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate()?)?;
    let key = KeyPair::generate()?;
    let mut server = params(&NAMES, "Velodrome, a contender")?;
    server.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    server.use_authority_key_identifier_extension = true;
    let certificate = server.signed_by(&key, &authority)?;
    Ok((authority.pem(), certificate.pem(), key.serialize_pem()))
}

fn params(names: &[&str], common_name: &str) -> Result<CertificateParams, rcgen::Error> {
    let mut params = CertificateParams::new(names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>())?;
    params.distinguished_name.push(DnType::CommonName, common_name);
    let now = Timestamp::now().to_zoned(TimeZone::UTC);
    let day = |day: Zoned| date_time_ymd(day.year().into(), day.month() as u8, day.day() as u8);
    params.not_before = day(now.saturating_sub(BEFORE));
    params.not_after = day(now.saturating_add(AFTER));
    Ok(params)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_run_has_an_authority_and_a_certificate_of_its_own() {
        let dir = tempfile::tempdir().unwrap();
        let [one, other] = ["a", "b"].map(|name| Certificates::make(&dir.path().join(name)).unwrap());
        let read = |path: &Path| fs::read_to_string(path).unwrap();
        assert!(read(&one.certificate).starts_with("-----BEGIN CERTIFICATE-----"));
        assert!(read(&one.key).starts_with("-----BEGIN PRIVATE KEY-----"));
        assert_eq!(read(&one.certificate).matches("BEGIN").count(), 1, "the authority is not sent");
        assert_ne!(read(&one.key), read(&other.key));
        let encrypted = Protocol::ALL.map(|protocol| one.settings(protocol).is_some());
        assert_eq!(encrypted, Protocol::ALL.map(Protocol::is_encrypted));
        for path in [&one.certificate, &one.key] {
            assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        assert!(Certificates::make(&dir.path().join("a")).is_err(), "nothing is replaced");
    }
}
