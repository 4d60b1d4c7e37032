//! Which CPUs serve and which load.

use velo_record::Placement;

use crate::LabError;
use crate::process::tree::allowed_cpus;

/// Takes what was asked, else splits the CPUs that this process may use: of two, one each; of more, a quarter loads
/// (at least one) and the rest serves, since the generator is cheaper than any contender.
///
/// # Errors
/// When there are fewer than two CPUs, or those asked for overlap or are not to be had.
pub(crate) fn choose(server: Option<&[u32]>, load: Option<&[u32]>) -> Result<Placement, LabError> {
    split(&allowed_cpus(&[std::process::id()]), server, load)
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
        [only] => Ok(Placement { server_cpus: vec![*only], load_cpus: vec![*only] }),
        usable => split(usable, None, None),
    }
}

fn split(usable: &[u32], server: Option<&[u32]>, load: Option<&[u32]>) -> Result<Placement, LabError> {
    let unfit = |what: String, cure: &str| Err(LabError::Unfit { what, cure: cure.to_owned() });
    for &cpu in server.into_iter().chain(load).flatten() {
        if !usable.contains(&cpu) {
            return unfit(
                format!("CPU {cpu} is not one that this process may use ({})", list(usable)),
                "name others with --server-cpus and --load-cpus",
            );
        }
    }
    let without =
        |taken: &[u32]| -> Vec<u32> { usable.iter().copied().filter(|cpu| !taken.contains(cpu)).collect() };
    let (server_cpus, load_cpus) = match (server, load) {
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
    Ok(Placement { server_cpus, load_cpus })
}

fn list(cpus: &[u32]) -> String {
    cpus.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_nothing_is_measured_one_cpu_is_enough() {
        let got = |usable: &[u32]| split_or_share(usable).ok().map(|p| (p.server_cpus, p.load_cpus));
        assert_eq!(got(&[3]), Some((vec![3], vec![3])));
        assert_eq!(got(&[0, 1]), Some((vec![0], vec![1])));
        assert_eq!(got(&[]), None);
    }

    #[test]
    fn cpus_are_split_and_never_shared() {
        let got = |usable: &[u32], server: Option<&[u32]>, load: Option<&[u32]>| {
            split(usable, server, load).ok().map(|p| (p.server_cpus, p.load_cpus))
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
