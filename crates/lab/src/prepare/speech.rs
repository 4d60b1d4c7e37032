//! Whether contenders speak the protocol of a run, and what a run with others must do.

use velo_model::{Contender, Protocol, Workload};

use crate::host::toolchain::Missing;

/// The protocol that a run speaks: that of its workloads, which is one. The default where there is no workload.
pub(crate) fn of(workloads: &[Workload]) -> Protocol {
    workloads.first().map_or_else(Protocol::default, |workload| workload.load.protocol)
}

/// Whether contenders are encrypted in any part of a run.
pub(crate) fn is_encrypted(workloads: &[Workload]) -> bool {
    let in_calls =
        |workload: &Workload| workload.call_conditions().any(|condition| condition.protocol.is_encrypted());
    of(workloads).is_encrypted() || workloads.iter().any(in_calls)
}

/// Why a contender cannot be measured over a protocol, when it cannot.
pub(crate) fn missing(contender: &Contender, protocol: Protocol) -> Option<Missing> {
    if contender.speaks(protocol) {
        return None;
    }
    let names: Vec<&str> = contender.protocols.iter().map(|protocol| protocol.name()).collect();
    let spoken = match names.as_slice() {
        [only] => format!("{only} only"),
        several => several.join(", "),
    };
    let cure = match &contender.runs_at {
        Some(_) => format!(
            "an externally started server is measured without TLS: --protocol {}",
            names.join(" or --protocol ")
        ),
        // Why is known, and it will not.
        None if contender.other_protocols.is_some() => {
            format!("measure it with --protocol {}", names.join(" or "))
        }
        None => format!(
            "measure it with --protocol {}; once it speaks {protocol}, say so in `protocols` of its contender.toml",
            names.join(" or ")
        ),
    };
    let why = contender.other_protocols.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
    Some(Missing { reason: format!("speaks {spoken}, and {protocol} is asked{why}"), cure })
}

#[cfg(test)]
mod tests {
    use velo_model::ContenderName;

    use super::*;

    #[test]
    fn who_does_not_speak_it_is_told_what_to_do() {
        let name = ContenderName::new("url/mine").unwrap();
        let mut contender = Contender::running(name, "127.0.0.1:3000".to_owned(), vec!["coin".to_owned()]);
        assert_eq!(missing(&contender, Protocol::H2c), None);
        let external = missing(&contender, Protocol::H2).unwrap();
        assert_eq!(external.reason, "speaks http1, h2c, and h2 is asked");
        assert!(external.cure.contains("--protocol http1 or --protocol h2c"), "{}", external.cure);
        contender.runs_at = None;
        contender.protocols = vec![Protocol::Http1];
        let own = missing(&contender, Protocol::H2).unwrap();
        assert_eq!(own.reason, "speaks http1 only, and h2 is asked");
        assert!(own.cure.contains("`protocols`"), "{}", own.cure);
        contender.other_protocols = Some("its server has no HTTP/2".to_owned());
        let told = missing(&contender, Protocol::H2).unwrap();
        assert_eq!(told.reason, "speaks http1 only, and h2 is asked: its server has no HTTP/2");
        assert_eq!(told.cure, "measure it with --protocol http1");
        contender.role = velo_model::Role::Task;
        assert_eq!(missing(&contender, Protocol::H2), None, "it has no network");
    }
}
