use velo_model::{Class, Contender, Role, Workload};

/// Whether a run without `--only` and `--all` measures it.
pub(super) fn is_default(workloads: &[Workload], contender: &Contender) -> bool {
    contender.class == Class::Reference
        || workloads.iter().any(|workload| workload.default.contains(&contender.name))
}

/// Its class as it is listed; programs and clients have none.
pub(super) fn class(contender: &Contender) -> &'static str {
    match contender.class {
        _ if contender.role == Role::Task => "program",
        _ if contender.role == Role::Client => "client",
        class => class.name(),
    }
}
