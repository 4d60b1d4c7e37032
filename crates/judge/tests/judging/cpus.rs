//! Rows that are not ranked for where, and for whether, their CPU time was used.

use velo_model::Class;

use crate::{cause, judged, of, three, unchanged};
use velo_fixtures::{Simulated, contender_mut};
use velo_judge::{Cause, RowState};
use velo_record::WindowKind;

#[test]
fn one_that_left_its_cpus_has_no_rank() {
    let judgement = judged(&three(), |_, windows| {
        for window in of(windows, "go/net-http").filter(|window| window.kind() == WindowKind::Block) {
            contender_mut(window).outside_cpus = Some(vec![1]);
            contender_mut(window).cpu_total_ns =
                contender_mut(window).cpu_elapsed_ns.map(|elapsed| elapsed * 3 / 2);
        }
    });
    let (found, reason) = cause(&judgement, "go/net-http");
    assert_eq!(found, "outside-cpus");
    assert!(reason.contains("CPU 1, outside of its CPU 0") && reason.contains("used 1.50 CPUs"), "{reason}");
    let others = unchanged(&three());
    assert!(others.workloads[0].rows.iter().all(|row| !matches!(
        row.state,
        RowState::NotRanked { cause: Cause::OutsideCpus { .. } | Cause::ImpossibleCpuTime { .. } }
    )));
}

#[test]
fn one_whose_threads_could_leave_after_the_start_has_no_rank() {
    let judgement = judged(&three(), |file, _| {
        let record = file.contenders.iter_mut().find(|record| record.manifest.name.as_str() == "go/net-http");
        record.unwrap().launches[1].cpus_read_back = vec![0, 1];
    });
    let (found, reason) = cause(&judgement, "go/net-http");
    assert_eq!(found, "outside-cpus");
    assert!(reason.contains("after the start of launch 2"), "{reason}");
}

#[test]
fn a_cpu_time_that_is_not_possible_for_the_work_has_no_rank() {
    let mut simulation = three();
    simulation.contenders.push(Simulated::new("rust/reference", 60_000.0).class(Class::Reference));
    let honest = unchanged(&simulation);
    let is_impossible = |row: &velo_judge::Row| {
        matches!(row.state, RowState::NotRanked { cause: Cause::ImpossibleCpuTime { .. } })
    };
    assert!(!honest.workloads[0].rows.iter().any(is_impossible));
    for (divisor, words) in [(20, "the reference needs"), (u64::MAX, "no CPU time at all")] {
        let judgement = judged(&simulation, |_, windows| {
            for window in of(windows, "go/net-http") {
                let contender = contender_mut(window);
                for cpu in [&mut contender.cpu_ns, &mut contender.cpu_total_ns] {
                    *cpu = cpu.map(|cpu| cpu / divisor);
                }
            }
        });
        let (found, reason) = cause(&judgement, "go/net-http");
        assert_eq!(found, "impossible-cpu-time", "{reason}");
        assert!(reason.contains(words) && reason.contains(" us"), "{reason}");
    }
}
