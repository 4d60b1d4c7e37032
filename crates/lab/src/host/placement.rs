//! Which CPUs serve and which load.

use velo_model::PartyRole;
use velo_record::Placement;

use crate::LabError;
use crate::process::tree::allowed_cpus;

/// Takes what was asked, else splits the CPUs that this process may use: of two, one each; of more, a quarter loads
/// (at least one) and the rest serves, since the generator is cheaper than any contender.
///
/// # Errors
/// When there are fewer than two CPUs, or those asked for overlap or are not to be had.
pub(crate) fn choose(asked: &Placement) -> Result<Placement, LabError> {
    split(&allowed_cpus(&[std::process::id()]), asked)
}

/// Where nothing is measured: as [`choose`] splits them, and a single CPU does both.
///
/// # Errors
/// When this process may use none.
pub(crate) fn unmeasured() -> Result<Placement, LabError> {
    split_or_share(&allowed_cpus(&[std::process::id()]))
}

fn split_or_share(usable: &[u32]) -> Result<Placement, LabError> {
    match usable {
        [only] => Ok(placed(vec![*only], vec![*only])),
        usable => split(usable, &Placement::default()),
    }
}

fn split(usable: &[u32], asked: &Placement) -> Result<Placement, LabError> {
    let unfit = |what: String, cure: &str| Err(LabError::Unfit { what, cure: cure.to_owned() });
    for cpu in asked.parties().iter().flat_map(|party| &party.cpus) {
        if !usable.contains(cpu) {
            return unfit(
                format!("CPU {cpu} is not one that this process may use ({})", list(usable)),
                "name others with --server-cpus and --load-cpus",
            );
        }
    }
    let without =
        |taken: &[u32]| -> Vec<u32> { usable.iter().copied().filter(|cpu| !taken.contains(cpu)).collect() };
    let (server_cpus, load_cpus) = match (asked.own(PartyRole::Contender), asked.own(PartyRole::Generator)) {
        (Some(server), Some(load)) => (server.to_vec(), load.to_vec()),
        (Some(server), None) => (server.to_vec(), without(server)),
        (None, Some(load)) => (without(load), load.to_vec()),
        (None, None) => {
            let loading = (usable.len() / 4).max(1);
            let (serve, load) = usable.split_at(usable.len().saturating_sub(loading));
            (serve.to_vec(), load.to_vec())
        }
    };
    if server_cpus.iter().any(|cpu| load_cpus.contains(cpu)) {
        return unfit(
            format!(
                "the contender's CPUs ({}) and the generator's ({}) overlap",
                list(&server_cpus),
                list(&load_cpus)
            ),
            "give each its own with --server-cpus and --load-cpus",
        );
    }
    if server_cpus.is_empty() || load_cpus.is_empty() {
        return unfit(
            format!("{} CPU is too few: contender and generator need one each", usable.len()),
            "run on a machine with at least 2 CPUs, or let this process use more of them",
        );
    }
    Ok(placed(server_cpus, load_cpus))
}

/// Whoever else takes part is where the generator is.
fn placed(server_cpus: Vec<u32>, load_cpus: Vec<u32>) -> Placement {
    Placement::new([(PartyRole::Contender, server_cpus), (PartyRole::Generator, load_cpus)])
}

fn list(cpus: &[u32]) -> String {
    cpus.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_both(placement: &Placement) -> (Vec<u32>, Vec<u32>) {
        (placement.cpus(PartyRole::Contender).to_vec(), placement.cpus(PartyRole::Generator).to_vec())
    }

    #[test]
    fn where_nothing_is_measured_one_cpu_is_enough() {
        let got = |usable: &[u32]| split_or_share(usable).ok().as_ref().map(of_both);
        assert_eq!(got(&[3]), Some((vec![3], vec![3])));
        assert_eq!(got(&[0, 1]), Some((vec![0], vec![1])));
        assert_eq!(got(&[]), None);
    }

    #[test]
    fn cpus_are_split_and_never_shared() {
        let got = |usable: &[u32], server: Option<&[u32]>, load: Option<&[u32]>| {
            let of = |role, cpus: Option<&[u32]>| cpus.map(|cpus| (role, cpus.to_vec()));
            let asked = [of(PartyRole::Contender, server), of(PartyRole::Generator, load)];
            split(usable, &Placement::new(asked.into_iter().flatten())).ok().as_ref().map(of_both)
        };
        assert_eq!(got(&[0, 1], None, None), Some((vec![0], vec![1])));
        assert_eq!(got(&[0, 1, 2], None, None), Some((vec![0, 1], vec![2])));
        assert_eq!(got(&[0, 1, 2, 3, 4, 5, 6, 7], None, None), Some((vec![0, 1, 2, 3, 4, 5], vec![6, 7])));
        assert_eq!(got(&[0, 1, 2], Some(&[1]), None), Some((vec![1], vec![0, 2])));
        assert_eq!(got(&[0, 1], Some(&[0]), Some(&[0])), None);
        assert_eq!(got(&[0], None, None), None);
        assert_eq!(got(&[0, 1], Some(&[5]), None), None);
        assert_eq!(got(&[], None, None), None);
    }
}
