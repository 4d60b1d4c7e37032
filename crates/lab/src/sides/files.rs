//! The file server that clients fetch from, and whether what they did is what was asked.

use std::collections::HashMap;
use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::OFlags;
use tempfile::TempDir;
use velo_files::{Content, FileServer, Offer, Sent, Serving, sha256_of};
use velo_model::{Download, Manner};
use velo_stats::number::time_ns;

/// Files in memory, where there is a place for them.
const MEMORY: &str = "/dev/shm";
/// The server notes an answer just after it has given it to the kernel.
const NOTED: Duration = Duration::from_millis(500);
/// By so much a client's clock may differ from the lab's: it may tell no less than microseconds, and be slewed.
const CLOCK_NS: u64 = 10_000;
const CLOCK_SHARE: u64 = 1_000;

/// What is offered, by path.
type Offers = Arc<Mutex<HashMap<String, Offer>>>;

/// The file server of a run.
#[derive(Debug)]
pub(crate) struct Files {
    server: FileServer,
    offers: Offers,
    /// Holds what is offered, and what is fetched too unless that is elsewhere: of a name that nobody can guess, and open to this user
    /// alone.
    folder: TempDir,
    /// Holds what is fetched, where that was asked for.
    saved_in: Option<TempDir>,
    handed_out: AtomicU64,
}

/// Files that a client is to fetch, of one length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lot {
    /// The length of each.
    pub(crate) bytes: u64,
    pub(crate) files: u32,
}

impl Lot {
    /// What clients fetch at a time.
    pub(crate) fn of(download: &Download) -> Self {
        Self { bytes: download.bytes, files: download.files }
    }
}

/// What a client is sent for with one line.
#[derive(Debug)]
pub(crate) struct Errand {
    wanted: Vec<Wanted>,
}

/// A file that a client is to fetch.
#[derive(Debug)]
struct Wanted {
    content: Content,
    path: String,
    /// Where it is offered.
    url: String,
    /// Where the client is to save it.
    out: PathBuf,
}

impl Errand {
    /// What the client is told: of each file its address and its name.
    pub(crate) fn line(&self) -> String {
        let told = |one: &Wanted| format!("{}\t{}", one.url, one.out.display());
        self.wanted.iter().map(told).collect::<Vec<_>>().join("\t")
    }
}

/// What a client left where it was to save a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Saved {
    /// Nothing.
    Nothing,
    /// All of the file.
    Whole,
    /// Its first bytes.
    Start(u64),
    /// So many bytes that are not the file's.
    Other(u64),
}

impl Files {
    /// Starts the server on these CPUs. `dir`: where clients save files in place of memory.
    pub(crate) fn start(cpus: &[u32], dir: Option<&Path>) -> io::Result<Self> {
        let folder = folder()?;
        let saved_in = dir.map(|dir| named().tempdir_in(dir)).transpose()?;
        let offers = Offers::default();
        let offered = Arc::clone(&offers);
        let source =
            move |path: &str| offered.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        let server = FileServer::start(
            SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            cpus,
            Serving::Measured,
            Box::new(source),
        )?;
        Ok(Self { server, offers, folder, saved_in, handed_out: AtomicU64::new(0) })
    }

    /// Holds what is offered and what is fetched.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Holds what is fetched, where that is another folder.
    pub(crate) fn saved_in(&self) -> Option<&Path> {
        self.saved_in.as_ref().map(TempDir::path)
    }

    /// Draws files and offers each in a manner, at an address that was never used before.
    pub(crate) fn hand_out(&self, lot: Lot, manner: Manner, seed: u64) -> io::Result<Errand> {
        let mut errand = Errand { wanted: Vec::new() };
        for number in 0..u64::from(lot.files) {
            match self.offer(lot.bytes, manner, seed.wrapping_add(number)) {
                Ok(wanted) => errand.wanted.push(wanted),
                Err(error) => {
                    self.discard(errand);
                    return Err(error);
                }
            }
        }
        Ok(errand)
    }

    fn offer(&self, bytes: u64, manner: Manner, seed: u64) -> io::Result<Wanted> {
        let number = self.handed_out.fetch_add(1, Ordering::Relaxed) + 1;
        // Of a seed alone the addresses could be guessed, and the files with them.
        let path = format!("/{number}-{:016x}/file", seed.rotate_left(17) ^ 0x9e37_79b9_7f4a_7c15);
        let content = Content::draw(&self.folder().join(format!("offered-{number}")), bytes, seed)?;
        let offer = |manner| Offer { file: content.path().to_owned(), manner, plain: plain(&path) };
        let mut offers = self.offers.lock().unwrap_or_else(PoisonError::into_inner);
        offers.insert(path.clone(), offer(manner));
        offers.insert(plain(&path), offer(Manner::Whole));
        drop(offers);
        let url = format!("http://{}{path}", self.server.address());
        let out = self.saved_in().unwrap_or(self.folder()).join(format!("fetched-{number}"));
        Ok(Wanted { content, path, url, out })
    }

    /// Takes an offer back: what was sent for it, after which nothing more is.
    fn take_back(&self, wanted: &Wanted) -> Sent {
        let mut offers = self.offers.lock().unwrap_or_else(PoisonError::into_inner);
        offers.remove(&wanted.path);
        offers.remove(&plain(&wanted.path));
        drop(offers);
        both(self.server.take(&wanted.path), self.server.take(&plain(&wanted.path)))
    }

    /// Ends an errand of which the client said, not later than `answered_at`, that it took `own_ns` and saved so many bytes in all. What
    /// was sent for it; else what is wrong, in words.
    pub(crate) fn check(
        &self,
        errand: Errand,
        answered_at: Instant,
        own_ns: u64,
        said_bytes: u64,
    ) -> Result<Sent, String> {
        // Before anything that takes time, in which the rest of it could still be written.
        let lengths: Vec<io::Result<u64>> = errand
            .wanted
            .iter()
            .map(|one| regular(fs::symlink_metadata(&one.out)?).map(|data| data.len()))
            .collect();
        let deadline = Instant::now() + NOTED;
        let count = errand.wanted.len();
        let mut all = Sent::default();
        let mut bytes = 0_u64;
        let mut wrong = None;
        // What is wrong with one does not keep the others: each is taken back.
        for (number, (one, length)) in errand.wanted.iter().zip(lengths).enumerate() {
            match self.check_one(one, length, answered_at, deadline) {
                Ok(sent) => all = both(all, sent),
                Err(what) if count == 1 => wrong = Some(what),
                Err(what) => wrong = wrong.or(Some(format!("file {} of {count}: {what}", number + 1))),
            }
            bytes = bytes.saturating_add(one.content.bytes());
        }
        if let Some(wrong) = wrong {
            return Err(wrong);
        }
        if said_bytes != bytes {
            return Err(format!("it says that it saved {said_bytes} bytes, and saved {bytes}"));
        }
        if let (Some(first), Some(last)) = (all.first_request, all.before_last) {
            let span_ns = last.saturating_duration_since(first).as_nanos() as u64;
            if own_ns + CLOCK_NS + span_ns / CLOCK_SHARE < span_ns {
                let [own, span] = [own_ns, span_ns].map(|ns| time_ns(ns as f64));
                let what = if count == 1 { "the file" } else { "the files" };
                return Err(format!("it says {own}, and the server needed {span} to send {what}"));
            }
        }
        Ok(all)
    }

    /// Ends one file of an errand, which had this length when the client answered.
    fn check_one(
        &self,
        wanted: &Wanted,
        length: io::Result<u64>,
        answered_at: Instant,
        deadline: Instant,
    ) -> Result<Sent, String> {
        let bytes = wanted.content.bytes();
        while self.server.sent(&wanted.path).bytes < bytes && Instant::now() < deadline {
            std::thread::sleep(Duration::from_micros(100));
        }
        // What has another length is wrong without being read.
        let saved = matches!(length, Ok(length) if length == bytes).then(|| saved(wanted));
        let sent = self.take_back(wanted);
        remove(&wanted.out);
        let length = length.map_err(|error| format!("the file is not where it was to be saved: {error}"))?;
        if length != bytes {
            return Err(format!("{length} bytes when it answered, expected {bytes}"));
        }
        if sent.requests == 0 {
            return Err("it answered without a request to the server".to_owned());
        }
        if sent.bytes < bytes {
            return Err(format!("the server sent {} of {bytes} bytes", sent.bytes));
        }
        let saved = saved.transpose().map_err(|error| format!("the file cannot be read: {error}"))?;
        if saved != Some(Saved::Whole) {
            return Err("the bytes are not the file's (SHA-256)".to_owned());
        }
        if sent.before_last.is_some_and(|last| answered_at < last) {
            return Err("it answered before the last bytes were sent".to_owned());
        }
        Ok(sent)
    }

    /// Ends an errand of which nothing is of use any more.
    pub(crate) fn discard(&self, errand: Errand) {
        for one in &errand.wanted {
            self.take_back(one);
            remove(&one.out);
        }
    }

    /// Ends an errand of any outcome: what the client saved of its last file, and how many requests it made.
    pub(crate) fn look(&self, errand: Errand) -> io::Result<(Saved, u32)> {
        let mut found = Saved::Nothing;
        let mut requests = 0_u32;
        for one in &errand.wanted {
            let saved = saved(one);
            requests = requests.saturating_add(self.take_back(one).requests);
            remove(&one.out);
            found = saved?;
        }
        Ok((found, requests))
    }
}

/// What was sent for two paths, as if they were one.
fn both(a: Sent, b: Sent) -> Sent {
    let of_both =
        |a: Option<Instant>, b: Option<Instant>, which: fn(Instant, Instant) -> Instant| match (a, b) {
            (Some(a), Some(b)) => Some(which(a, b)),
            (one, other) => one.or(other),
        };
    Sent {
        requests: a.requests.saturating_add(b.requests),
        bytes: a.bytes.saturating_add(b.bytes),
        first_request: of_both(a.first_request, b.first_request, Instant::min),
        before_last: of_both(a.before_last, b.before_last, Instant::max),
        cpu_ns: a.cpu_ns.saturating_add(b.cpu_ns),
    }
}

/// Where a redirect leads.
fn plain(path: &str) -> String {
    format!("{path}-itself")
}

/// In memory if that can be: a disk's cache would be measured with the client otherwise.
fn folder() -> io::Result<TempDir> {
    named().tempdir_in(MEMORY).or_else(|_| named().tempdir())
}

fn named() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("velo-files-");
    builder
}

fn remove(out: &Path) {
    // A client may have saved nothing.
    let _ = fs::remove_file(out);
}

/// Looks at what a client left, which may be anything: nothing but a regular file is opened for good, and no more of it is read than the
/// file has that was offered.
fn saved(wanted: &Wanted) -> io::Result<Saved> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let opened = fs::symlink_metadata(&wanted.out)
        .and_then(regular)
        .and_then(|_| File::options().read(true).custom_flags(flags).open(&wanted.out));
    let file = match opened {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Saved::Nothing),
        Err(error) => return Err(error),
    };
    let length = regular(file.metadata()?)?.len();
    let whole = wanted.content.bytes();
    if length > whole {
        return Ok(Saved::Other(length));
    }
    let (sha256, bytes) = sha256_of(file.take(whole))?;
    if sha256 == wanted.content.sha256() {
        return Ok(Saved::Whole);
    }
    let start = File::open(wanted.content.path())?.take(bytes);
    let is_start = bytes < whole && sha256_of(start)?.0 == sha256;
    Ok(if is_start { Saved::Start(bytes) } else { Saved::Other(bytes) })
}

/// The same, of a regular file: what else there is may block who opens it, or have no end.
fn regular(data: Metadata) -> io::Result<Metadata> {
    if data.is_file() { Ok(data) } else { Err(io::Error::other("what is there is not a regular file")) }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::TcpStream;
    use std::os::unix::fs::symlink;

    use rustix::fs::FileType;

    use super::*;

    const BYTES: u64 = 300_000;

    /// Fetches as a client does: what it took.
    fn fetch(errand: &Errand, saves: impl FnOnce(Vec<u8>) -> Vec<u8>) -> u64 {
        fetch_one(&errand.wanted[0], saves)
    }

    fn fetch_one(wanted: &Wanted, saves: impl FnOnce(Vec<u8>) -> Vec<u8>) -> u64 {
        let began = Instant::now();
        let rest = wanted.url.strip_prefix("http://").unwrap();
        let (host, path) = rest.split_once('/').unwrap();
        let mut connection = TcpStream::connect(host).unwrap();
        write!(connection, "GET /{path} HTTP/1.1\r\nConnection: close\r\n\r\n").unwrap();
        let mut bytes = Vec::new();
        connection.read_to_end(&mut bytes).unwrap();
        let at = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        fs::write(&wanted.out, saves(bytes.split_off(at + 4))).unwrap();
        began.elapsed().as_nanos() as u64
    }

    fn one(bytes: u64) -> Lot {
        Lot { bytes, files: 1 }
    }

    fn errand(files: &Files, seed: u64) -> Errand {
        files.hand_out(one(BYTES), Manner::Whole, seed).unwrap()
    }

    #[test]
    fn an_honest_client_is_believed_and_what_was_sent_is_known() {
        let files = Files::start(&[], None).unwrap();
        for seed in 0..3 {
            let errand = errand(&files, seed);
            let own_ns = fetch(&errand, |bytes| bytes);
            let out = errand.wanted[0].out.clone();
            let sent = files.check(errand, Instant::now(), own_ns, BYTES).unwrap();
            assert_eq!((sent.requests, sent.bytes), (1, BYTES));
            assert!(!out.exists(), "nothing is left");
        }
        assert_eq!(fs::read_dir(files.folder()).unwrap().count(), 0);
    }

    #[test]
    fn what_is_fetched_may_be_elsewhere_and_is_gone_with_the_server() {
        let dir = tempfile::tempdir().unwrap();
        let files = Files::start(&[], Some(dir.path())).unwrap();
        let errand = errand(&files, 1);
        assert!(
            errand.wanted[0].out.starts_with(dir.path())
                && !errand.wanted[0].content.path().starts_with(dir.path())
        );
        let own_ns = fetch(&errand, |bytes| bytes);
        files.check(errand, Instant::now(), own_ns, BYTES).unwrap();
        drop(files);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn each_kind_of_lie_is_told_apart() {
        let files = Files::start(&[], None).unwrap();
        let said = |files: &Files, errand, own_ns, bytes| {
            files.check(errand, Instant::now(), own_ns, bytes).unwrap_err()
        };

        let late = errand(&files, 1);
        assert!(said(&files, late, 1, BYTES).contains("not where it was to be saved"));

        let short = errand(&files, 2);
        fetch(&short, |bytes| bytes[..1_000].to_vec());
        assert_eq!(said(&files, short, 1, BYTES), format!("1000 bytes when it answered, expected {BYTES}"));

        let kept = errand(&files, 3);
        fs::write(&kept.wanted[0].out, vec![1; BYTES as usize]).unwrap();
        assert_eq!(said(&files, kept, 1, BYTES), "it answered without a request to the server");

        let other = errand(&files, 4);
        fetch(&other, |bytes| vec![0; bytes.len()]);
        assert_eq!(said(&files, other, u64::MAX / 2, BYTES), "the bytes are not the file's (SHA-256)");

        let wrong = errand(&files, 5);
        let own_ns = fetch(&wrong, |bytes| bytes);
        assert!(said(&files, wrong, own_ns, BYTES - 1).contains("says that it saved"));
    }

    #[test]
    fn a_time_that_is_shorter_than_the_servers_is_no_time() {
        let files = Files::start(&[], None).unwrap();
        let slow = errand(&files, 6);
        let rest = slow.wanted[0].url.strip_prefix("http://").unwrap();
        let (host, path) = rest.split_once('/').unwrap();
        let mut connection = TcpStream::connect(host).unwrap();
        // The kernel holds a part of a file, so that one of so many bytes is sent at the pace of who reads it.
        let large = files.hand_out(one(40_000_000), Manner::Whole, 7).unwrap();
        let large_path = large.wanted[0].url.split_once(host).unwrap().1.to_owned();
        write!(
            connection,
            "GET /{path} HTTP/1.1\r\n\r\nGET {large_path} HTTP/1.1\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        std::thread::sleep(Duration::from_millis(100));
        let mut bytes = Vec::new();
        connection.read_to_end(&mut bytes).unwrap();
        let file = bytes.split_off(bytes.len() - 40_000_000);
        fs::write(&large.wanted[0].out, file).unwrap();
        let said = files.check(large, Instant::now(), 1_000_000, 40_000_000).unwrap_err();
        assert!(said.starts_with("it says 1.00 ms, and the server needed "), "{said}");
    }

    #[test]
    fn of_several_files_each_is_checked_and_all_are_timed_together() {
        let files = Files::start(&[], None).unwrap();
        let lot = Lot { bytes: BYTES, files: 3 };
        let honest = files.hand_out(lot, Manner::Whole, 1).unwrap();
        assert_eq!(honest.line().split('\t').count(), 6);
        // What passes between two of them is in the server's time, too.
        let began = Instant::now();
        for one in &honest.wanted {
            fetch_one(one, |bytes| bytes);
        }
        let own_ns = began.elapsed().as_nanos() as u64;
        let sent = files.check(honest, Instant::now(), own_ns, 3 * BYTES).unwrap();
        assert_eq!((sent.requests, sent.bytes), (3, 3 * BYTES));

        let lacks_one = files.hand_out(lot, Manner::Whole, 2).unwrap();
        for one in &lacks_one.wanted[..2] {
            fetch_one(one, |bytes| bytes);
        }
        let said = files.check(lacks_one, Instant::now(), u64::MAX / 2, 3 * BYTES).unwrap_err();
        assert!(said.starts_with("file 3 of 3: the file is not where"), "{said}");

        let twice_the_first = files.hand_out(lot, Manner::Whole, 3).unwrap();
        for one in &twice_the_first.wanted {
            fetch_one(one, |bytes| bytes);
        }
        fs::copy(&twice_the_first.wanted[0].out, &twice_the_first.wanted[1].out).unwrap();
        let said = files.check(twice_the_first, Instant::now(), u64::MAX / 2, 3 * BYTES).unwrap_err();
        assert_eq!(said, "file 2 of 3: the bytes are not the file's (SHA-256)");

        let one_by_one = files.hand_out(lot, Manner::Whole, 4).unwrap();
        let longest = one_by_one.wanted.iter().map(|one| {
            std::thread::sleep(Duration::from_millis(50));
            fetch_one(one, |bytes| bytes)
        });
        let longest = longest.max().unwrap();
        let said = files.check(one_by_one, Instant::now(), longest.min(90_000_000), 3 * BYTES).unwrap_err();
        assert!(said.ends_with("to send the files"), "the time of one is not that of all: {said}");
        assert_eq!(fs::read_dir(files.folder()).unwrap().count(), 0);
    }

    /// What holds up who opens it, or has no end to read.
    fn odd_things() -> [fn(&Path); 4] {
        [
            |out| rustix::fs::mknodat(rustix::fs::CWD, out, FileType::Fifo, 0o600.into(), 0).unwrap(),
            |out| symlink("/dev/zero", out).unwrap(),
            |out| File::create(out).unwrap().set_len(4 << 40).unwrap(),
            |out| fs::create_dir(out).unwrap(),
        ]
    }

    #[test]
    fn what_is_no_file_of_its_length_is_never_read() {
        let files = Files::start(&[], None).unwrap();
        for (seed, (leave, words)) in (0..).zip(odd_things().into_iter().zip([
            "not a regular file",
            "not a regular file",
            "4398046511104 bytes when it answered",
            "not a regular file",
        ])) {
            let errand = errand(&files, seed);
            let own_ns = fetch(&errand, |bytes| bytes);
            let out = &errand.wanted[0].out;
            fs::remove_file(out).unwrap();
            leave(out);
            let said = files.check(errand, Instant::now(), own_ns, BYTES).unwrap_err();
            assert!(said.contains(words), "{said}");
        }
        for leave in odd_things() {
            let errand = errand(&files, 9);
            leave(&errand.wanted[0].out);
            match files.look(errand) {
                Ok((saved, _)) => assert_eq!(saved, Saved::Other(4 << 40)),
                Err(error) => assert_eq!(error.to_string(), "what is there is not a regular file"),
            }
        }
    }

    #[test]
    fn what_was_saved_of_a_fault_is_told() {
        let files = Files::start(&[], None).unwrap();
        let cut = files.hand_out(one(BYTES), Manner::ShortBody, 8).unwrap();
        fetch(&cut, |bytes| bytes);
        assert_eq!(files.look(cut).unwrap(), (Saved::Start(BYTES / 2), 1));
        let none = files.hand_out(one(BYTES), Manner::Whole, 9).unwrap();
        assert_eq!(files.look(none).unwrap(), (Saved::Nothing, 0));
        let page = files.hand_out(one(BYTES), Manner::NotFound, 10).unwrap();
        fetch(&page, |bytes| bytes);
        assert!(matches!(files.look(page).unwrap(), (Saved::Other(_), 1)));
    }
}
