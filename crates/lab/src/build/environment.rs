//! What commands of contenders get of the environment of `velo`: what is on a list, so that a variable which happens to be
//! set (`GOGC`, `NODE_OPTIONS`, `LD_PRELOAD`, the token of a CI) neither moves a figure nor reaches a server.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// What a command is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// It is measured: a server or a task.
    Measured,
    /// It fetches, builds, or tells a version.
    Build,
}

/// Where programs are, and in which language and time zone they speak. Homes of toolchains are here where a program that was
/// built does not start without them.
const MEASURED: [&str; 17] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "JAVA_HOME",
    "DOTNET_ROOT",
    "GEM_HOME",
    "GEM_PATH",
    "PYENV_ROOT",
    "RBENV_ROOT",
    "NODENV_ROOT",
    "ASDF_DATA_DIR",
    "MISE_DATA_DIR",
];

/// Where toolchains keep what they fetch, and how they reach it: registries, proxies, certificates. None of these tells a
/// compiler how to compile.
const BUILD: [&str; 76] = [
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "RUSTUP_DIST_SERVER",
    "RUSTUP_UPDATE_ROOT",
    "CARGO_HOME",
    "CARGO_HTTP_CAINFO",
    "CARGO_HTTP_PROXY",
    "CARGO_HTTP_TIMEOUT",
    "CARGO_NET_GIT_FETCH_WITH_CLI",
    "CARGO_NET_OFFLINE",
    "CARGO_NET_RETRY",
    "GOROOT",
    "GOPATH",
    "GOMODCACHE",
    "GOCACHE",
    "GOTMPDIR",
    "GOTOOLCHAIN",
    "GOPROXY",
    "GONOPROXY",
    "GOPRIVATE",
    "GOSUMDB",
    "GONOSUMDB",
    "GOINSECURE",
    "GOVCS",
    "MAVEN_HOME",
    "M2_HOME",
    "MAVEN_OPTS",
    "MAVEN_ARGS",
    "GRADLE_USER_HOME",
    "NUGET_PACKAGES",
    "DOTNET_CLI_HOME",
    "COMPOSER_HOME",
    "COMPOSER_CACHE_DIR",
    "COMPOSER_MIRROR_PATH_REPOS",
    "BUNDLE_MIRROR__ALL",
    "BUNDLE_SSL_CA_CERT",
    "NPM_CONFIG_REGISTRY",
    "NPM_CONFIG_CACHE",
    "NPM_CONFIG_CA",
    "NPM_CONFIG_CAFILE",
    "NPM_CONFIG_PROXY",
    "NPM_CONFIG_HTTPS_PROXY",
    "NPM_CONFIG_NOPROXY",
    "NPM_CONFIG_STRICT_SSL",
    "NPM_CONFIG_USERCONFIG",
    "NPM_CONFIG_GLOBALCONFIG",
    "NPM_CONFIG_OFFLINE",
    "NPM_CONFIG_PREFER_OFFLINE",
    "NPM_CONFIG_FETCH_RETRIES",
    "NPM_CONFIG_FETCH_TIMEOUT",
    "PIP_CONFIG_FILE",
    "PIP_CACHE_DIR",
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS",
    "PIP_NO_INDEX",
    "PIP_TRUSTED_HOST",
    "PIP_CERT",
    "PIP_PROXY",
    "PIP_RETRIES",
    "PIP_TIMEOUT",
    "PIP_DEFAULT_TIMEOUT",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    "GIT_SSL_CAINFO",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "FTP_PROXY",
];

/// The other registries and replaced sources of Cargo have names of their own.
const CARGO_SOURCES: [&str; 2] = ["CARGO_REGISTRIES_", "CARGO_SOURCE_"];
/// What only opens a door for whoever knows it.
const SECRETS: [&str; 4] = ["TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"];
/// In place of a name and password within an address.
const MASK: &str = "***";

/// What a command of this use gets of the environment of `velo`.
pub(crate) fn inherited(of: Use) -> impl Iterator<Item = (OsString, OsString)> {
    std::env::vars_os().filter(move |(name, _)| name.to_str().is_some_and(|name| is_passed_on(name, of)))
}

/// What servers and tasks get of it, for the record; a name and password within an address are masked.
pub(crate) fn of_measured() -> BTreeMap<String, String> {
    inherited(Use::Measured).map(|(name, value)| (text(&name), masked(&text(&value)))).collect()
}

/// The names alone of what builds get beside, for the record: their values may be addresses of private networks.
pub(crate) fn names_of_builds() -> Vec<String> {
    let mut names: Vec<String> = inherited(Use::Build)
        .map(|(name, _)| text(&name))
        .filter(|name| !is_passed_on(name, Use::Measured))
        .collect();
    names.sort_unstable();
    names
}

fn is_passed_on(name: &str, of: Use) -> bool {
    if MEASURED.contains(&name) || name.starts_with("LC_") {
        return true;
    }
    // Proxies and npm's settings are written in capitals by some and in small letters by others.
    let capitals = name.to_ascii_uppercase();
    let is_of_builds = BUILD.contains(&capitals.as_str())
        || CARGO_SOURCES.iter().any(|start| capitals.starts_with(start))
            && !SECRETS.iter().any(|secret| capitals.contains(secret));
    of == Use::Build && is_of_builds
}

fn text(value: &OsStr) -> String {
    value.to_string_lossy().into_owned()
}

/// `http://name:password@host` without what is before the `@`, wherever it stands in a value.
fn masked(value: &str) -> String {
    let mut parts = value.split("://");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str("://");
        let authority = part.find(['/', '?', '#', ' ', ',']).unwrap_or(part.len());
        match part[..authority].rfind('@') {
            Some(at) => {
                out.push_str(MASK);
                out.push_str(&part[at..]);
            }
            None => out.push_str(part),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_moves_figures_or_opens_doors_is_kept_back() {
        for name in [
            "GOGC",
            "GOMAXPROCS",
            "GODEBUG",
            "GOFLAGS",
            "NODE_OPTIONS",
            "NODE_ENV",
            "LD_PRELOAD",
            "LD_LIBRARY_PATH",
            "MALLOC_ARENA_MAX",
            "JAVA_TOOL_OPTIONS",
            "JDK_JAVA_OPTIONS",
            "PYTHONOPTIMIZE",
            "RUBYOPT",
            "RUSTFLAGS",
            "CFLAGS",
            "CARGO_ENCODED_RUSTFLAGS",
            "CARGO_BUILD_RUSTFLAGS",
            "CARGO_REGISTRIES_OURS_TOKEN",
            "GITHUB_TOKEN",
            "CI_JOB_TOKEN",
            "NPM_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "PORT",
            "",
        ] {
            assert!(!is_passed_on(name, Use::Build) && !is_passed_on(name, Use::Measured), "{name}");
        }
    }

    #[test]
    fn servers_get_far_less_than_builds() {
        for name in ["PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "JAVA_HOME"] {
            assert!(is_passed_on(name, Use::Build) && is_passed_on(name, Use::Measured), "{name}");
        }
        for name in [
            "CARGO_HOME",
            "RUSTUP_HOME",
            "GOPATH",
            "GOMODCACHE",
            "GOPROXY",
            "https_proxy",
            "HTTPS_PROXY",
            "npm_config_registry",
            "PIP_INDEX_URL",
            "CARGO_REGISTRIES_OURS_INDEX",
            "SSL_CERT_FILE",
        ] {
            assert!(is_passed_on(name, Use::Build) && !is_passed_on(name, Use::Measured), "{name}");
        }
    }

    #[test]
    fn names_and_passwords_in_addresses_are_masked() {
        for (value, expected) in [
            ("/usr/bin:/bin", "/usr/bin:/bin"),
            ("http://me:secret@proxy:3128/", "http://***@proxy:3128/"),
            ("http://me@a,https://x:p@ss@b/c@d", "http://***@a,https://***@b/c@d"),
            ("https://host/a@b", "https://host/a@b"),
            ("", ""),
        ] {
            assert_eq!(masked(value), expected);
        }
    }

    proptest! {
        #[test]
        fn no_password_is_left_in_an_address(before in "[a-z ]{0,5}", password in "[A-Z]{5,9}", host in "[a-z]{1,9}") {
            let value = format!("{before}http://user:{password}@{host}/x");
            prop_assert!(!masked(&value).contains(&password));
            let end = format!("@{host}/x");
            prop_assert!(masked(&value).ends_with(&end));
        }

        #[test]
        fn odd_values_give_an_answer(value in ".{0,80}") {
            masked(&value);
        }
    }
}
