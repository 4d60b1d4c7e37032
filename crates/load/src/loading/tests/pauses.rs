//! A generator that is stopped for a while and goes on: what came meanwhile had come in time.

use super::*;

#[test]
fn an_answer_that_came_while_the_generator_was_stopped_is_no_timeout() {
    // Each answer takes 200 ms; the generator is stopped for 1.2 s and gives requests up after 0.5 s.
    let thinking = Schedule::Closed { think: Think::Constant { ns: 10 * MS } };
    for schedule in [closed(), thinking, even(50.0)] {
        // With more connections than a wait tells of.
        for connections in [4, 600] {
            for stopped_ns in [1_050 * MS, 1_099 * MS, 1_250 * MS] {
                let mut driver = after(200 * MS);
                driver.stopped = stopped_ns..stopped_ns + 1_200 * MS;
                let order = WindowOrder { timeout_ns: S / 2, ..order(connections, schedule.clone(), 3 * S) };
                let report = run(&mut driver, &order);
                let tally = &report.tally;
                assert_eq!(tally.all().timeout, 0, "{:?} {:?}", tally.outcomes, tally.wrong_examples);
                assert_eq!(tally.all().correct, tally.sent);
                let pause_ns = tally.longest_pause_ns;
                assert!((1_150 * MS..=1_200 * MS).contains(&pause_ns), "{pause_ns}");
            }
        }
    }
}

#[test]
fn what_did_not_come_meanwhile_is_one() {
    let mut driver = after(3 * S);
    driver.stopped = 1_100 * MS..2_300 * MS;
    let order = WindowOrder { timeout_ns: S / 2, most_requests: 4, ..order(4, closed(), 10 * S) };
    let tally = run(&mut driver, &order).tally;
    assert_eq!((tally.outcomes.timeout, tally.outcomes.correct), (4, 0));
}

#[test]
fn a_generator_that_goes_on_all_the_time_was_not_paused() {
    for schedule in [closed(), even(100.0)] {
        let tally = run(&mut after(20 * MS), &order(4, schedule, S)).tally;
        assert_eq!(tally.longest_pause_ns, 0);
    }
}
