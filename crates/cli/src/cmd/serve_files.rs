use std::ffi::OsStr;
use std::net::SocketAddr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path};
use std::time::Duration;

use anyhow::Context as _;
use percent_encoding::percent_decode_str;
use velo_files::{FileServer, Offer, Serving};
use velo_model::Manner;

use crate::args::ServeFilesArgs;
use crate::exit::{self, usage};
use crate::{out, signals};

/// Between two looks whether it is to end.
const LOOK_EVERY: Duration = Duration::from_millis(50);

pub(crate) fn run(args: &ServeFilesArgs) -> anyhow::Result<u8> {
    if !args.dir.is_dir() {
        return Err(usage(format!("{}: expected a folder with the files to serve", args.dir.display())));
    }
    let dir = args.dir.canonicalize().with_context(|| format!("{} cannot be opened", args.dir.display()))?;
    let address = SocketAddr::from(([127, 0, 0, 1], args.port));
    let stop = signals::stop_saying("\n")?;
    let server = FileServer::start(address, &[], Serving::InParts, Box::new(move |path| offered(&dir, path)))
        .map_err(|error| {
            usage(format!("--port {}: {error}\n  expected a free port; 0 takes any", args.port))
        })?;
    let at = server.address();
    out::print(&format!("http://{at}/FILE\n"))?;
    let mut text = format!("or with a fault, http://{at}/FAULT/FILE; Ctrl-C ends it\n");
    for manner in Manner::faults().chain(Manner::of_resuming()) {
        text.push_str(&format!("  {:<14} {}\n", manner.name(), manner.sends()));
    }
    out::talk(&text);
    while !stop.asked() {
        std::thread::sleep(LOOK_EVERY);
    }
    drop(server);
    Ok(exit::INTERRUPTED)
}

/// What a path stands for: a file of the folder, or with a fault before it. Nothing outside of the folder.
fn offered(dir: &Path, path: &str) -> Option<Offer> {
    let path = path.strip_prefix('/')?;
    let (manner, name) = path
        .split_once('/')
        .and_then(|(first, rest)| Some((Manner::named(first)?, rest)))
        .unwrap_or((Manner::Whole, path));
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    // Decoded before it is looked at, so that an encoded dot or slash is one.
    let decoded: Vec<u8> = percent_decode_str(name).collect();
    let relative = Path::new(OsStr::from_bytes(&decoded));
    if name.is_empty() || !relative.components().all(is_plain) {
        return None;
    }
    let file = dir.join(relative).canonicalize().ok()?;
    (file.starts_with(dir) && file.is_file()).then(|| Offer { file, manner, plain: format!("/{name}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_folder_are_served_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join("served");
        std::fs::create_dir_all(dir.join("in")).unwrap();
        for file in ["served/a", "served/in/b", "secret"] {
            std::fs::write(root.path().join(file), "x").unwrap();
        }
        std::os::unix::fs::symlink(root.path().join("secret"), dir.join("link")).unwrap();
        let dir = dir.canonicalize().unwrap();
        let of = |path: &str| offered(&dir, path).map(|offer| (offer.manner, offer.plain));
        assert_eq!(of("/a"), Some((Manner::Whole, "/a".to_owned())));
        assert_eq!(of("/in/b"), Some((Manner::Whole, "/in/b".to_owned())));
        assert_eq!(of("/short-body/a"), Some((Manner::ShortBody, "/a".to_owned())));
        assert_eq!(of("/stall/in/b"), Some((Manner::Stall, "/in/b".to_owned())));
        for name in ["a b", "#?%", "100%", "ü", "served"] {
            std::fs::write(dir.join(name), "x").unwrap();
        }
        for path in ["/a%20b", "/%23%3f%25", "/100%", "/100%25", "/%C3%BC", "/%61", "/in%2Fb", "/reset/a%20b"]
        {
            assert!(of(path).is_some(), "{path}");
        }
        assert_eq!(
            of("/redirect/a%20b"),
            Some((Manner::Redirect, "/a%20b".to_owned())),
            "encoded as it came"
        );
        for path in [
            "/%2e%2e/secret",
            "/..%2fsecret",
            "/in/%2e%2e/a",
            "/%2Fetc/passwd",
            "/a%00",
            "/in%2f..%2f..%2fsecret",
        ] {
            assert_eq!(of(path), None, "{path}");
        }
        for path in ["/", "/b", "/in", "/../secret", "/stall/../../secret", "/link", "a", "//a", "/stall/"] {
            assert_eq!(of(path), None, "{path}");
        }
    }
}
