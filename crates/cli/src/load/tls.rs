//! HTTPS flags to the engine's settings.

use std::path::Path;
use std::sync::Arc;

use velo_load::{TlsError, TlsFacts, TlsOptions, TlsSettings, TlsVersions, Trust};
use velo_record::LoadTls;

use super::flags::{HttpsFlags, TlsVersion};
use super::url::Url;
use crate::exit::usage;
use velo_request::text as files;

/// How connections are encrypted; none for `http`.
///
/// # Errors
/// When certificates or the name cannot be used, or a flag does nothing with `http`.
pub(crate) fn settings(
    flags: &HttpsFlags,
    url: &Url,
    http2: bool,
) -> anyhow::Result<Option<Arc<TlsSettings>>> {
    if !url.is_https {
        return match useless(flags) {
            Some(flag) => Err(usage(format!(
                "{flag} does nothing with http://\n  did you mean https://{}?",
                url.authority()
            ))),
            None => Ok(None),
        };
    }
    let mut options = TlsOptions::new(flags.sni.as_deref().unwrap_or(&url.host));
    if http2 {
        options = options.for_http2();
    }
    if flags.insecure {
        options.trust = Trust::Anything;
    } else if let Some(path) = &flags.cacert {
        options.trust = Trust::Pem(pem("--cacert", path)?);
    }
    options.versions = match flags.tls {
        None => TlsVersions::Both,
        Some(TlsVersion::V12) => TlsVersions::Tls12,
        Some(TlsVersion::V13) => TlsVersions::Tls13,
    };
    options.resumption = !flags.no_resumption;
    if let (Some(cert), Some(key)) = (&flags.cert, &flags.key) {
        options.client_identity = Some((pem("--cert", cert)?, pem("--key", key)?));
    }
    let settings = TlsSettings::new(options).map_err(|error| match &error {
        TlsError::ServerName(_) if flags.sni.is_some() => usage(format!("--sni: {error}")),
        TlsError::ServerName(_) => usage(error.to_string()),
        TlsError::Authorities(_) => usage(format!("--cacert: {error}")),
        TlsError::Identity(_) => usage(format!("--cert: {error}")),
        _ => error.into(),
    })?;
    Ok(Some(Arc::new(settings)))
}

/// `--insecure` is not among them: `ab -k` has made it a habit, and a hint says what it is.
fn useless(flags: &HttpsFlags) -> Option<&'static str> {
    let given = [
        ("--cacert", flags.cacert.is_some()),
        ("--sni", flags.sni.is_some()),
        ("--tls", flags.tls.is_some()),
        ("--no-resumption", flags.no_resumption),
        ("--cert", flags.cert.is_some()),
    ];
    given.into_iter().find(|(_, given)| *given).map(|(flag, _)| flag)
}

fn pem(flag: &str, path: &Path) -> anyhow::Result<Vec<u8>> {
    files::read(path).map_err(|problem| crate::exit::at(&problem, flag))
}

/// What the record says of encryption; `facts` are those of the first connection.
pub(crate) fn recorded(flags: &HttpsFlags, facts: Option<&TlsFacts>) -> LoadTls {
    LoadTls {
        version: facts.map(|facts| facts.version.to_owned()),
        cipher: facts.map(|facts| facts.cipher.to_owned()),
        verified: !flags.insecure,
        resumption: !flags.no_resumption,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::url;

    const FLAGS: HttpsFlags = HttpsFlags {
        insecure: false,
        cacert: None,
        sni: None,
        tls: None,
        no_resumption: false,
        cert: None,
        key: None,
    };

    fn made(flags: &HttpsFlags, text: &str) -> Result<bool, String> {
        let url = url::parse(text).expect("a URL");
        settings(flags, &url, false).map(|settings| settings.is_some()).map_err(|error| error.to_string())
    }

    #[test]
    fn https_has_settings_and_http_has_none() {
        let insecure = HttpsFlags { insecure: true, ..FLAGS };
        assert_eq!(made(&insecure, "https://127.0.0.1/"), Ok(true));
        assert_eq!(made(&FLAGS, "http://h/"), Ok(false));
        assert_eq!(made(&insecure, "http://h/"), Ok(false));
        let recorded = recorded(&insecure, None);
        assert!(!recorded.verified && recorded.resumption && recorded.version.is_none());
    }

    #[test]
    fn what_cannot_be_used_is_refused_by_its_flag() {
        let sni = |name: &str| HttpsFlags { insecure: true, sni: Some(name.to_owned()), ..FLAGS };
        assert!(made(&sni("a b"), "https://h/").expect_err("no name").contains("--sni"));
        assert!(made(&sni("example.com"), "http://h/").expect_err("no TLS").contains("https://h"));
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("ca.pem");
        let cacert = HttpsFlags { cacert: Some(path.clone()), ..FLAGS };
        assert!(made(&cacert, "https://h/").expect_err("no file").contains("--cacert"));
        std::fs::write(&path, "not a certificate").expect("a file");
        assert!(made(&cacert, "https://h/").expect_err("no PEM").contains("--cacert"));
    }
}
