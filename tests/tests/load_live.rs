use std::fs::File;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::{FromRawFd, OwnedFd};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::harness::{place, program};
use crate::load_command::velo;

/// How long the server takes for an answer.
const SERVICE: Duration = Duration::from_millis(10);
/// The counts of two lines are at least this far apart.
const PAUSE_S: f64 = 0.5;
/// A rate is written with three digits.
const ROUNDING: f64 = 0.005;

/// When requests came and answers went, for each connection.
type Log = Arc<Mutex<Vec<Vec<(Instant, Instant)>>>>;

fn serve() -> (SocketAddr, Log) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, log) = (listener.local_addr().unwrap(), Log::default());
    let own = Arc::clone(&log);
    thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let (stream, log) = (stream.unwrap(), Arc::clone(&own));
            log.lock().unwrap().push(Vec::new());
            thread::spawn(move || answer_all(stream, number, &log));
        }
    });
    (address, log)
}

/// One request is on the way at a time, so each reading is one. The client may go away at any time.
fn answer_all(mut stream: TcpStream, number: usize, log: &Log) {
    stream.set_nodelay(true).unwrap();
    let mut buffer = [0; 4096];
    while stream.read(&mut buffer).is_ok_and(|got| got > 0) {
        let came = Instant::now();
        thread::sleep(SERVICE);
        // Written down before it goes, so that nobody can have the answer earlier.
        log.lock().unwrap()[number].push((came, Instant::now()));
        if stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").is_err() {
            return;
        }
    }
}

/// A pseudo-terminal of 80 columns: the end that is read, and the terminal.
fn terminal() -> (File, OwnedFd) {
    let (mut reader, mut terminal) = (0, 0);
    let size = libc::winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: both numbers are written to locals; name and settings may be null, and the size outlives the call.
    let result = unsafe {
        libc::openpty(
            &raw mut reader,
            &raw mut terminal,
            std::ptr::null_mut(),
            std::ptr::null(),
            &raw const size,
        )
    };
    assert_eq!(result, 0, "a pseudo-terminal: {}", std::io::Error::last_os_error());
    // SAFETY: both are open and belong to nobody else.
    unsafe { (File::from_raw_fd(reader), OwnedFd::from_raw_fd(terminal)) }
}

/// All bytes that come, each with the time when it was read.
fn read_all(mut reader: File) -> Vec<(u8, Instant)> {
    let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
    // A terminal that nobody has open any more is an error and the end.
    while let Ok(got @ 1..) = reader.read(&mut buffer) {
        let now = Instant::now();
        bytes.extend(buffer[..got].iter().map(|&byte| (byte, now)));
    }
    bytes
}

/// A live line: the seconds that it says, its rate, and when all of it was there.
#[derive(Debug)]
struct Line {
    text: String,
    elapsed_s: f64,
    rate_per_s: f64,
    read: Instant,
}

/// The lines in what a terminal was sent.
fn lines(bytes: &[(u8, Instant)]) -> Vec<Line> {
    let mut lines = Vec::new();
    for part in bytes.split(|(byte, _)| byte.is_ascii_control()) {
        let text: String = part.iter().map(|&(byte, _)| char::from(byte)).collect();
        let Some((elapsed, rest)) = text.trim_start().split_once("  ") else { continue };
        let elapsed = elapsed.split_once(" of ").map_or(elapsed, |(elapsed, _)| elapsed);
        let Some((minutes, seconds)) = elapsed.split_once(':') else { continue };
        let (Ok(minutes), Ok(seconds)) = (minutes.parse::<f64>(), seconds.parse::<f64>()) else { continue };
        let rate = rest.trim_start().split_once("/s").expect("a rate").0.replace(',', "");
        let (elapsed_s, rate_per_s) = (minutes * 60.0 + seconds, rate.parse().expect("a number"));
        lines.push(Line { elapsed_s, rate_per_s, read: part[part.len() - 1].1, text });
    }
    lines
}

/// What the server's log says of how many answers the client had at a time, in seconds since the client was started: no more than were
/// written by then, and at least those after which it had sent the next request on their connection.
struct Truth {
    written: Vec<f64>,
    read: Vec<f64>,
}

impl Truth {
    fn at_most(&self, s: f64) -> f64 {
        self.written.partition_point(|&at| at <= s) as f64
    }

    fn at_least(&self, s: f64) -> f64 {
        self.read.partition_point(|&at| at <= s) as f64
    }

    /// The least and the greatest rate between two moments in these spans. The counts change at the server's events only, so that no
    /// other moments need to be looked at.
    fn rates(&self, from: (f64, f64), until: (f64, f64)) -> (f64, f64) {
        const AFTER: f64 = 1e-9;
        let moments = |(first, last): (f64, f64)| {
            let events =
                self.written.iter().chain(&self.read).copied().filter(move |at| (first..=last).contains(at));
            events.flat_map(|at| [at, at - AFTER]).chain([first, last]).collect::<Vec<f64>>()
        };
        let (mut least, mut greatest) = (f64::INFINITY, 0.0_f64);
        let mut hold = |from_s: f64, until_s: f64| {
            let seconds = until_s - from_s;
            if seconds < PAUSE_S - AFTER || until_s > until.1 || from_s < from.0 {
                return;
            }
            least = least.min((self.at_least(until_s) - self.at_most(from_s)).max(0.0) / seconds);
            greatest = greatest.max((self.at_most(until_s) - self.at_least(from_s)) / seconds);
        };
        let untils = moments(until);
        for from_s in moments(from) {
            untils.iter().for_each(|&until_s| hold(from_s, until_s));
            hold(from_s, from_s + PAUSE_S);
        }
        untils.iter().for_each(|&until_s| hold(until_s - PAUSE_S, until_s));
        (least, greatest)
    }
}

#[test]
fn each_live_line_has_the_rate_that_the_server_saw() {
    let _place = place();
    program("velo");
    let (address, log) = serve();
    let (reader, terminal) = terminal();
    let reading = thread::spawn(move || read_all(reader));
    let mut command = velo(&["-d", "5s", "-c", "2", "--live", "plain"]);
    command.arg(format!("http://{address}/")).stdout(Stdio::null()).stderr(Stdio::from(terminal));
    command.env("TERM", "xterm");
    let started = Instant::now();
    let mut child = command.spawn().unwrap();
    // It holds the terminal's own end.
    drop(command);
    assert!(child.wait().unwrap().success());
    let lines = lines(&reading.join().unwrap());
    assert!(lines.len() >= 3, "{lines:?}");

    let since = |at: Instant| at.duration_since(started).as_secs_f64();
    let log = log.lock().unwrap();
    let mut written: Vec<f64> = log.iter().flatten().map(|&(_, went)| since(went)).collect();
    let mut read: Vec<f64> =
        log.iter().flat_map(|connection| connection.iter().skip(1)).map(|&(came, _)| since(came)).collect();
    let first_s = log.iter().flatten().map(|&(came, _)| since(came)).fold(f64::INFINITY, f64::min);
    written.sort_by(f64::total_cmp);
    read.sort_by(f64::total_cmp);
    let truth = Truth { written, read };
    // The load began after the client was started and before its first request came; the seconds of a line are rounded.
    let taken = |line: &Line| (line.elapsed_s - 1.0, since(line.read).min(first_s + line.elapsed_s + 1.0));
    for pair in lines.windows(2) {
        let (least, greatest) = truth.rates(taken(&pair[0]), taken(&pair[1]));
        let rate = pair[1].rate_per_s;
        assert!(
            rate >= least * (1.0 - ROUNDING) && rate <= greatest * (1.0 + ROUNDING),
            "{} is not within {least:.1} and {greatest:.1}, after {}",
            pair[1].text,
            pair[0].text
        );
        assert!(pair[1].text.contains(" | all: errors 0  p50 "), "{}", pair[1].text);
    }
}

/// What a terminal shows after these bytes, and the most columns that a line of it ever had.
#[derive(Debug, Default)]
struct Screen {
    lines: Vec<Vec<char>>,
    row: usize,
    column: usize,
    widest: usize,
}

impl Screen {
    fn after(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let (mut screen, mut letters) = (Self::default(), text.chars());
        while let Some(letter) = letters.next() {
            screen.lines.resize(screen.lines.len().max(screen.row + 1), Vec::new());
            match letter {
                '\r' => screen.column = 0,
                '\n' => screen.row += 1,
                '\x1b' => screen.obey(&mut letters),
                letter => screen.put(letter),
            }
        }
        screen
    }

    fn put(&mut self, letter: char) {
        let line = &mut self.lines[self.row];
        line.resize(line.len().max(self.column + 1), ' ');
        line[self.column] = letter;
        self.column += 1;
        self.widest = self.widest.max(self.column);
    }

    fn obey(&mut self, letters: &mut impl Iterator<Item = char>) {
        assert_eq!(letters.next(), Some('['));
        let mut number = String::new();
        // What was read may end within a command.
        let Some(command) = letters.find(|letter| {
            number.extend(Some(letter).filter(|letter| !letter.is_ascii_alphabetic()));
            letter.is_ascii_alphabetic()
        }) else {
            return;
        };
        match command {
            'A' => self.row -= number.parse().unwrap_or(1),
            'B' => self.row += number.parse().unwrap_or(1),
            'K' => self.lines[self.row].truncate(self.column),
            'J' => {
                self.lines.truncate(self.row + 1);
                self.lines.resize(self.row + 1, Vec::new());
                self.lines[self.row].truncate(self.column);
            }
            'm' => {}
            other => panic!("a command that no view needs: {other}"),
        }
    }

    fn text(&self) -> String {
        let lines = self.lines.iter().map(|line| line.iter().collect::<String>().trim_end().to_owned());
        lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
    }
}

/// The screen at the end of a load of a server, of which the result is thrown away; `look` sees it each time that something came.
fn watch(arguments: &[&str], mut look: impl FnMut(&Child, &Screen)) -> Screen {
    let (address, _) = serve();
    let (mut reader, terminal) = terminal();
    let mut command: Command = velo(arguments);
    command.arg(format!("http://{address}/")).stdout(Stdio::null()).stderr(Stdio::from(terminal));
    command.env("TERM", "xterm").env("LC_ALL", "C.UTF-8").env_remove("NO_COLOR");
    let mut child = command.spawn().unwrap();
    // It holds the terminal's own end.
    drop(command);
    let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
    while let Ok(got @ 1..) = reader.read(&mut buffer) {
        bytes.extend_from_slice(&buffer[..got]);
        look(&child, &Screen::after(&bytes));
    }
    child.wait().unwrap();
    Screen::after(&bytes)
}

#[test]
fn a_view_is_drawn_in_place_and_nothing_is_left_of_it() {
    let _place = place();
    program("velo");
    let mut seen = 0;
    let screen = watch(&["-d", "3s", "-R", "50", "-c", "2"], |_, screen| {
        let text = screen.text();
        let views = text.matches("\ngoodput ").count();
        assert!(views <= 1, "{text}");
        seen += usize::from(
            views == 1 && ["response ", "in flight ", " peak "].iter().all(|part| text.contains(part)),
        );
    });
    assert!(seen > 0, "a view was drawn");
    assert!(screen.widest <= 80, "a line of {} columns", screen.widest);
    let text = screen.text();
    assert!(
        text.starts_with("open loop 50/s") && !text.contains("goodput") && !text.contains("peak"),
        "{text}"
    );
}

#[test]
fn an_interrupted_view_makes_room_for_what_is_said() {
    let _place = place();
    program("velo");
    let mut is_asked = false;
    let screen = watch(&["-d", "60s", "-c", "2"], |child, screen| {
        if !is_asked && screen.text().contains("in flight ") {
            is_asked = true;
            kill_process(Pid::from_child(child), Signal::INT).unwrap();
        }
    });
    let text = screen.text();
    let said: Vec<&str> = text.lines().skip(2).take(1).collect();
    assert_eq!(said, ["stopping; what was measured is kept. Once more ends at once"], "{text}");
    assert!(!text.contains("in flight"), "{text}");
}
