//! Cases of gRPC that ask for what is not there.

use velo_model::{CaseRequest, Workload};
use velo_spec::read;

const PROTO: &str = include_str!("../../../workloads/void/void.proto");
const VOID: &str = include_str!("../../../workloads/void/workload.toml");

/// The workload void with one more case.
fn with_case(keys: &str) -> Result<Workload, String> {
    let text = format!("{VOID}\n[[grpc.case]]\nname = \"one more\"\n{keys}\n");
    let files = [("workload.toml", text.as_bytes()), ("void.proto", PROTO.as_bytes())];
    read::workload_of("void", &files).map_err(|error| error.to_string())
}

#[test]
fn a_case_may_call_a_method_that_is_not_there_when_it_expects_to_be_told_so() {
    for (method, path) in [("user.User/Gone", "/user.User/Gone"), ("user.Nobody/Get", "/user.Nobody/Get")] {
        let keys = format!("method = \"{method}\"\nstatus = \"UNIMPLEMENTED\"");
        let workload = with_case(&keys).expect("a workload");
        let case = workload.grpc.as_ref().and_then(|grpc| grpc.cases.last()).expect("a case");
        let CaseRequest::Own(request) = &case.send else { panic!("{:?}", case.send) };
        assert_eq!(request.path.written(&[]), path);
        let accepted: Vec<u16> = (0..=16).filter(|status| request.expect.status.contains(*status)).collect();
        assert_eq!(accepted, [12]);
    }
}

#[test]
fn otherwise_the_proto_must_have_the_method() {
    for (keys, said) in [
        ("method = \"user.User/Gone\"", "`user.User` has no method `Gone`"),
        ("method = \"user.User/Gone\"\nstatus = \"NOT_FOUND\"", "`user.User` has no method `Gone`"),
        ("method = \"user.Nobody/Get\"\nstatus = \"INTERNAL\"", "there is no service `user.Nobody`"),
        // There is no type that its message could be of.
        (
            "method = \"user.User/Gone\"\njson = \"{}\"\nstatus = \"UNIMPLEMENTED\"",
            "`user.User` has no method `Gone`",
        ),
        ("method = \"user.User\"\nstatus = \"UNIMPLEMENTED\"", "no service `user`"),
        ("method = \"user.User/a b\"\nstatus = \"UNIMPLEMENTED\"", "has no method `a b`"),
    ] {
        let message = with_case(keys).expect_err("it was accepted");
        assert!(message.contains(said), "{keys}: {message}");
    }
}
