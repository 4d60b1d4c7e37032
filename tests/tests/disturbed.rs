use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::harness::{Scene, place, text};

/// Says that it is over when it goes, also by a panic, so that no thread spins for ever.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Uses up what the scheduler gives to two busy threads for as long as `work` takes, however slow the machine is.
fn while_others_are_busy<T>(work: impl FnOnce() -> T) -> T {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let _over = Over(&is_over);
        for _ in 0..2 {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        work()
    })
}

#[test]
fn a_machine_that_others_use_is_named_while_the_run_can_still_be_stopped() {
    let _place = place();
    let scene = Scene::new();
    let mut command = scene.quick_run("coin", &["none"]);
    let output = while_others_are_busy(|| command.output().unwrap());
    let said = text(&output);
    let warning = said.find(" do not count: ").unwrap_or_else(|| panic!("no warning:\n{said}"));
    let second = said.find("measure  launch 2").unwrap_or_else(|| panic!("one launch:\n{said}"));
    assert!(warning < second && said.matches(" do not count: ").count() == 1, "{said}");
    assert!(
        said[warning..second].contains("others") && said[warning..second].contains("nothing will be ranked"),
        "{said}"
    );
    let host = &scene.judgement()["host"];
    assert!(host["disturbed_blocks"].as_u64() > Some(0), "{host}\n{said}");
}
