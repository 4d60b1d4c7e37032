//! A request of a mix outside of a load: for conformance, for documents and for tests. No sockets, no clocks.

use std::sync::Arc;
use std::time::Duration;
use velo_stats::number::decimals;

use crate::check::BodyChecker;
use crate::classifier::{Classifier, Verdict, other_status};
use crate::hpack::USUAL_TABLE_BYTES;
use crate::hpack::read::Reader;
use crate::mix::{Drawn, MOST_SLOTS, Mix};
use crate::request::Protocol;
use crate::response::Response;
use crate::show::plain;

/// A request as a load would send it.
#[derive(Debug, Clone)]
pub struct Example {
    drawn: Drawn,
    /// Which request of the mix it is.
    pub request: usize,
    /// What its slots hold, as [`BodyChecker`] has them.
    pub values: Vec<u64>,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Whether it is answered without a body.
    pub is_head: bool,
}

impl Example {
    /// The requests of a mix as one connection of a load with this seed sends them, without end.
    pub fn all(mix: &Mix, seed: u64) -> impl Iterator<Item = Self> {
        let mut drawer = mix.drawer(seed, 0, 1);
        (0..).map(move |turn: u32| {
            let drawn = mix.draw(&mut drawer, turn);
            let mut bytes = Vec::new();
            mix.append(&drawn, &mut bytes);
            Self {
                request: usize::from(drawn.request),
                values: mix.values(&drawn, &mut [0; MOST_SLOTS]).to_vec(),
                bytes,
                is_head: mix.is_head(&drawn),
                drawn,
            }
        })
    }

    /// Its body, whatever carries it.
    pub fn body(&self, mix: &Mix) -> Vec<u8> {
        let mut body = Vec::new();
        if mix.protocol() != Protocol::Http1 {
            mix.fields(&self.drawn).write_body(&self.drawn, &mut body);
        } else if let Some(at) = memchr::memmem::find(&self.bytes, b"\r\n\r\n") {
            body.extend_from_slice(&self.bytes[at + 4..]);
        }
        body
    }

    /// Its fields as HTTP/2 carries them, in order; none over HTTP/1.1.
    pub fn fields(&self, mix: &Mix) -> Vec<(String, String)> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if mix.protocol() == Protocol::Http1 {
            return Vec::new();
        }
        let mut block = Vec::new();
        mix.fields(&self.drawn).write_alone(mix.carried(), &self.drawn, &mut block);
        let mut fields = Vec::new();
        // What was just written is well-formed.
        let _ = Reader::new(USUAL_TABLE_BYTES)
            .read(&block, usize::MAX, |name, value| fields.push((text(name), text(value))));
        fields
    }

    pub(crate) fn drawn(&self) -> &Drawn {
        &self.drawn
    }

    /// Judges an answer as a load does. `mix` is the one that it comes from.
    ///
    /// # Errors
    /// When the answer is not correct; what is wrong with it.
    pub fn judge(
        &self,
        mix: &Mix,
        checker: Arc<dyn BodyChecker>,
        answer: &Response,
        elapsed: Duration,
    ) -> Result<(), String> {
        match Classifier::new(mix, checker).classify(mix, &self.drawn, &answer.head, &answer.body) {
            Verdict::HttpError => {
                return Err(other_status(mix, &self.drawn, &answer.head, &answer.body));
            }
            Verdict::GrpcError { code, message } => {
                return Err(format!("grpc-status {code}: {}", plain(&message)));
            }
            Verdict::Wrong(why) => return Err(why),
            Verdict::Correct(_) => {}
        }
        match mix.too_early(&self.drawn, u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX)) {
            Some(ms) => {
                let elapsed_ms = decimals(elapsed.as_secs_f64() * 1e3, 1);
                Err(format!("answered after {elapsed_ms} ms instead of {ms} or more"))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Toss;
    use crate::mix::testing::{get, only, template};
    use crate::protocol::Limits;
    use crate::protocol::http1::{Answer, HeadCache, Reader};
    use crate::request::{BodyExpect, Slot};

    struct Unasked;

    impl BodyChecker for Unasked {
        fn check(&self, _: usize, _: &[u64], _: &[u8]) -> Result<Option<Toss>, String> {
            Err("asked".to_owned())
        }
    }

    fn waiting() -> Mix {
        let mut spec = get("/wait/{0}", vec![Slot::Int { min: 10, max: 1_000_000 }]);
        spec.expect.body = BodyExpect::Exact(template("waited {0}"));
        spec.expect.not_before_ms = Some(0);
        only(spec)
    }

    fn answer(status: u16, body: &str) -> Response {
        let bytes = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        let mut reader = Reader::default();
        let (_, answer) =
            reader.feed(bytes.as_bytes(), false, true, &mut HeadCache::default(), &Limits::default());
        let Answer::Whole { head, body, .. } = answer else { panic!("not whole") };
        Response { status, content_type: None, body: body.to_vec(), keep_alive: true, head }
    }

    #[test]
    fn examples_follow_from_the_seed_and_differ() {
        let mix = waiting();
        let bytes = |seed| Example::all(&mix, seed).take(5).map(|one| one.bytes).collect::<Vec<_>>();
        assert_eq!(bytes(1), bytes(1));
        assert_ne!(bytes(1), bytes(2));
        let one = Example::all(&mix, 1).next().unwrap();
        let wanted = format!("GET /wait/{} HTTP/1.1\r\nHost: h:1\r\n\r\n", one.values[0]);
        assert_eq!((one.bytes, one.request, one.is_head), (wanted.into_bytes(), 0, false));
    }

    #[test]
    fn an_answer_is_judged_as_under_load() {
        let mix = waiting();
        let one = Example::all(&mix, 1).next().unwrap();
        let ms = one.values[0];
        let judge = |status, body: &str, elapsed| {
            one.judge(&mix, Arc::new(Unasked), &answer(status, body), Duration::from_millis(elapsed))
        };
        let right = format!("waited {ms}");
        assert_eq!(judge(200, &right, ms), Ok(()));
        assert_eq!(judge(200, &right, ms - 1), Ok(()), "a millisecond is forgiven");
        assert_eq!(
            judge(500, &right, ms),
            Err("500 where 200 was expected: \"waited ".to_owned() + &ms.to_string() + "\"")
        );
        assert!(judge(200, "waited", ms).unwrap_err().contains("instead of"));
        assert!(judge(200, &right, ms - 2).unwrap_err().contains("instead of"), "too early");
    }
}
