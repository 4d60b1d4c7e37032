//! Whether a contender answers as its workloads ask, before anything is measured.

use std::time::Duration;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use velo_load::{Example, MixError};
use velo_model::{Case, CaseRequest, Delivery, Protocol, Request, Workload};
use velo_record::CaseRecord;

use crate::build::data::DataSet;
use crate::sides::asked::{Asked, connect, one_line};
use crate::sides::origin::Peer;
use crate::sides::translate::alone;

/// The case of a contender that reads files.
pub(crate) const RENEWED: &str = "its files are read anew after a change";
const ANSWER_LIMIT: Duration = Duration::from_secs(5);

/// A request of a workload as HTTP/1.1 sends it with drawn values, as bytes and as the texts of its slots: what `velo show`
/// shows.
///
/// # Errors
/// When it cannot be rendered.
pub fn example(
    workload: &Workload,
    request: &Request,
    host: &str,
    seed: u64,
) -> Result<(Vec<u8>, Vec<String>), MixError> {
    let mut workload = workload.clone();
    workload.load.protocol = Protocol::Http1;
    let (mix, checker) = alone(&workload, request, &DataSet::make(&workload, 0, 0), host)?;
    let example = Example::all(&mix, seed).next().ok_or(MixError::Empty)?;
    let texts = checker.texts(0, &example.values);
    let texts = texts.iter().map(|text| String::from_utf8_lossy(text).into_owned()).collect();
    Ok((example.bytes, texts))
}

/// Tries every case of a workload.
pub(crate) fn verify(peer: &Peer, workload: &Workload, data: &DataSet, seed: u64) -> Vec<CaseRecord> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let cases = workload.cases.iter();
    cases.map(|case| record(workload, case, run_case(peer, workload, case, data, &mut random))).collect()
}

/// Whether answers come from the files that lie there now, which are others than a moment ago.
pub(crate) fn verify_renewed(peer: &Peer, workload: &Workload, data: &DataSet, seed: u64) -> CaseRecord {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let case = Case {
        name: RENEWED.to_owned(),
        send: CaseRequest::Valid { request: 0 },
        delivery: Delivery::Whole,
        repeat: 3,
        required: true,
        operation: None,
        shows: None,
        secret: None,
    };
    record(workload, &case, run_case(peer, workload, &case, data, &mut random))
}

fn record(workload: &Workload, case: &Case, result: Result<String, String>) -> CaseRecord {
    let (passed, got) = match result {
        Ok(got) => (true, got),
        Err(got) => (false, got),
    };
    CaseRecord {
        workload: workload.name.clone(),
        case: case.name.clone(),
        required: case.required,
        passed,
        got: one_line(&got),
    }
}

fn run_case(
    peer: &Peer,
    workload: &Workload,
    case: &Case,
    data: &DataSet,
    random: &mut ChaCha8Rng,
) -> Result<String, String> {
    let request = match &case.send {
        CaseRequest::Valid { request } => {
            workload.requests.get(*request).ok_or("the case names no request of the mix")?
        }
        CaseRequest::Own(request) => request,
    };
    let asked = Asked::new(peer, workload, request, data)?;
    let mut exchange = connect(peer, workload, ANSWER_LIMIT)?;
    let secret = case.secret.as_deref();
    let mut got = String::new();
    for (round, example) in (1..=case.repeat.max(1)).zip(asked.examples(random.next_u64())) {
        let tried = asked
            .try_once(&mut exchange, &example, case.delivery, ANSWER_LIMIT)
            .map_err(|error| if case.repeat > 1 { format!("request {round}: {error}") } else { error })?;
        got = tried.described(secret);
        // What a case only records is the answer itself.
        tried
            .judged(secret)
            .map_err(|why| if case.required { format!("{got}: {why}") } else { got.clone() })?;
        if round < case.repeat && !exchange.is_open() {
            return Err(format!("closed the connection after {round} of {} requests", case.repeat));
        }
    }
    Ok(got)
}
