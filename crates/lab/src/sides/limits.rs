//! How much of an answer is taken.

use velo_load::Limits;
use velo_model::{Case, CaseRequest, Request, Workload};

/// Each connection may hold an answer of this size, so that a server without end costs megabytes at most.
const USUAL: Limits = Limits { head_bytes: 32 * 1024, body_bytes: 1024 * 1024, interim: 8 };

/// Of the answers to the requests and cases of workloads that share a target, also as calls of gRPC: the usual limits, and longer
/// bodies where longer ones are expected. Conformance and load share them, so that what passes the one passes the other.
pub(crate) fn limits<'a>(workloads: impl IntoIterator<Item = &'a Workload>) -> Limits {
    let requests = workloads.into_iter().flat_map(requests);
    let longest = requests.filter_map(|request| request.expect.longest_body_bytes()).max();
    Limits { body_bytes: USUAL.body_bytes.max(longest.unwrap_or(0)), ..USUAL }
}

fn requests(workload: &Workload) -> impl Iterator<Item = &Request> {
    let grpc = workload.grpc.iter();
    let cases = workload.cases.iter().chain(grpc.clone().flat_map(|calls| &calls.cases));
    let own = cases.filter_map(|Case { send, .. }| match send {
        CaseRequest::Own(request) => Some(request.as_ref()),
        CaseRequest::Valid { .. } => None,
    });
    workload.requests.iter().chain(grpc.flat_map(|calls| &calls.requests)).chain(own)
}

#[cfg(test)]
mod tests {
    use velo_model::{BodyExpectation, Delivery};

    use super::*;
    use crate::course::tests::{request, workload};

    fn expecting(max: usize) -> Request {
        let mut request = request();
        request.expect.body = BodyExpectation::Length { min: 5, max };
        request
    }

    #[test]
    fn a_workload_that_expects_longer_bodies_has_them_taken() {
        let of = |requests: Vec<Request>| Workload { requests, ..workload() };
        assert_eq!(limits([&of(vec![request(), expecting(2000)])]), USUAL);
        assert_eq!(limits([&of(vec![expecting(1024 * 1024)])]), USUAL, "to the byte");
        let long = of(vec![request(), expecting(3_000_000), expecting(10)]);
        assert_eq!(limits([&long]), Limits { body_bytes: 3_000_000, ..USUAL });
        assert_eq!(limits([&of(vec![request()]), &long, &of(vec![request()])]), limits([&long]));
    }

    #[test]
    fn a_case_of_its_own_counts_too() {
        let case = |send| Case {
            name: "a long one".to_owned(),
            send,
            delivery: Delivery::Whole,
            repeat: 1,
            required: true,
            operation: None,
            shows: None,
            secret: None,
        };
        let of = |send| Workload { cases: vec![case(send)], ..workload() };
        assert_eq!(limits([&of(CaseRequest::Valid { request: 0 })]), USUAL);
        let own = of(CaseRequest::Own(Box::new(expecting(2_000_000))));
        assert_eq!(limits([&own]).body_bytes, 2_000_000);
    }
}
