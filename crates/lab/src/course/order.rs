//! Whose turn it is: the windows of a launch in their order. Pure but for the random numbers that it is given.

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use velo_record::RatePurpose;

use crate::options::TurnOrder;

/// A contender on a workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// Index of the contender's lane.
    pub(crate) lane: usize,
    /// Index of the lane's track.
    pub(crate) track: usize,
    /// Index of the workload.
    pub(crate) workload: usize,
}

/// What a window loads with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Load {
    /// A closed loop.
    Goodput,
    /// An open loop.
    Paced(RatePurpose),
}

/// A window to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Turn {
    /// From 1.
    pub(crate) block: u32,
    /// From 1, within block and workload.
    pub(crate) position: u32,
    pub(crate) place: Place,
    pub(crate) load: Load,
}

/// The windows of a launch. `passes`: in each block, all windows of the first come before those of the second; windows of
/// one pass are in random order, whatever they load with.
pub(crate) fn turns(
    order: TurnOrder,
    places: &[Place],
    blocks: u32,
    passes: &[&[Load]],
    random: &mut ChaCha8Rng,
) -> Vec<Turn> {
    match order {
        TurnOrder::Blocks => (1..=blocks).flat_map(|number| block(places, number, passes, random)).collect(),
        TurnOrder::Alternating => alternating(places, blocks, passes, random),
        TurnOrder::Contiguous => contiguous(places, blocks, passes, random),
    }
}

/// One block: workload after workload.
pub(crate) fn block(places: &[Place], number: u32, passes: &[&[Load]], random: &mut ChaCha8Rng) -> Vec<Turn> {
    let mut turns = Vec::new();
    for workload in workloads(places) {
        let mut position = 0;
        for loads in passes {
            let mut pass: Vec<(Place, Load)> = places
                .iter()
                .filter(|place| place.workload == workload)
                .flat_map(|&place| loads.iter().map(move |&load| (place, load)))
                .collect();
            pass.shuffle(random);
            for (place, load) in pass {
                position += 1;
                turns.push(Turn { block: number, position, place, load });
            }
        }
    }
    turns
}

/// Moves those with long windows to the ends of each block, in the order they had, so that the others are neighbours: ratios of windows
/// next to each other scatter by two thirds of what they do eight windows apart.
pub(crate) fn slow_at_the_ends(turns: &mut [Turn], is_slow: impl Fn(&Place) -> bool) {
    for pass in
        turns.chunk_by_mut(|a, b| (a.block, a.place.workload, a.load) == (b.block, b.place.workload, b.load))
    {
        let (mut slow, fast): (Vec<Turn>, Vec<Turn>) = pass.iter().partition(|turn| is_slow(&turn.place));
        let odd = pass.first().map_or(0, |turn| turn.block as usize % 2);
        let after = slow.split_off((slow.len() + odd) / 2);
        for (turn, other) in pass.iter_mut().zip(slow.into_iter().chain(fast).chain(after)) {
            (turn.place, turn.load) = (other.place, other.load);
        }
    }
}

/// Counts the positions anew, where some of the windows do not take place.
pub(crate) fn count_positions(turns: &mut [Turn]) {
    let is_same = |a: &Turn, b: &Turn| (a.block, a.place.workload) == (b.block, b.place.workload);
    for block in turns.chunk_by_mut(is_same) {
        for (position, turn) in (1..).zip(block) {
            turn.position = position;
        }
    }
}

/// The first block in random order, each other one in the reverse of that before.
fn alternating(places: &[Place], blocks: u32, passes: &[&[Load]], random: &mut ChaCha8Rng) -> Vec<Turn> {
    let mut places = places.to_vec();
    places.shuffle(random);
    let mut turns = Vec::new();
    for number in 1..=blocks {
        for workload in workloads(&places) {
            let own = places.iter().filter(|place| place.workload == workload);
            let loads = passes.iter().flat_map(|loads| loads.iter());
            let of_load = loads.flat_map(|&load| own.clone().map(move |&place| (place, load)));
            turns.extend((1..).zip(of_load).map(|(position, (place, load))| Turn {
                block: number,
                position,
                place,
                load,
            }));
        }
        places.reverse();
    }
    turns
}

/// Contender after contender, in random order, each with all its blocks.
fn contiguous(places: &[Place], blocks: u32, passes: &[&[Load]], random: &mut ChaCha8Rng) -> Vec<Turn> {
    let mut lanes: Vec<usize> = places.iter().map(|place| place.lane).collect();
    lanes.sort_unstable();
    lanes.dedup();
    lanes.shuffle(random);
    let mut turns = Vec::new();
    for (rank, &lane) in lanes.iter().enumerate() {
        for &place in places.iter().filter(|place| place.lane == lane) {
            for block in 1..=blocks {
                let loads = passes.iter().flat_map(|loads| loads.iter());
                turns.extend(loads.enumerate().map(|(number, &load)| Turn {
                    block,
                    position: (number * lanes.len() + rank) as u32 + 1,
                    place,
                    load,
                }));
            }
        }
    }
    turns
}

/// The order of windows with (`true`) and without a slowed generator, pair by pair.
pub(crate) fn proof(pairs: u32, random: &mut ChaCha8Rng) -> Vec<[bool; 2]> {
    (0..pairs)
        .map(|_| {
            let mut pair = [false, true];
            pair.shuffle(random);
            pair
        })
        .collect()
}

fn workloads(places: &[Place]) -> Vec<usize> {
    let mut workloads: Vec<usize> = places.iter().map(|place| place.workload).collect();
    workloads.sort_unstable();
    workloads.dedup();
    workloads
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use velo_record::GroupRate;

    use super::*;

    const GOODPUT: &[Load] = &[Load::Goodput];
    const COMMON_RATE: &[Load] = &[Load::Paced(GroupRate::PURPOSE)];

    fn random(seed: u64) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(seed)
    }

    /// Three contenders on two workloads, of which one answers the second only.
    fn places() -> Vec<Place> {
        [(0, 0, 0), (0, 1, 1), (1, 0, 0), (1, 1, 1), (2, 0, 1)]
            .map(|(lane, track, workload)| Place { lane, track, workload })
            .to_vec()
    }

    fn count(turns: &[Turn], place: Place, load: Load) -> usize {
        turns.iter().filter(|turn| turn.place == place && turn.load == load).count()
    }

    #[test]
    fn a_block_has_each_contender_once_in_each_pass() {
        let turns = turns(TurnOrder::Blocks, &places(), 4, &[GOODPUT, COMMON_RATE], &mut random(1));
        assert_eq!(turns.len(), 4 * 2 * 5);
        for place in places() {
            assert_eq!(count(&turns, place, Load::Goodput), 4);
            assert_eq!(count(&turns, place, COMMON_RATE[0]), 4);
        }
        assert!(turns.is_sorted_by_key(|turn| {
            (turn.block, turn.place.workload, turn.load != Load::Goodput, turn.position)
        }));
        let positions: Vec<u32> = turns
            .iter()
            .filter(|turn| turn.block == 2 && turn.place.workload == 1)
            .map(|turn| turn.position)
            .collect();
        assert_eq!(positions, [1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn who_is_first_changes_from_block_to_block_and_with_the_seed() {
        let firsts = |seed: u64| -> Vec<usize> {
            turns(TurnOrder::Blocks, &places(), 40, &[GOODPUT], &mut random(seed))
                .iter()
                .filter(|turn| turn.place.workload == 1 && turn.position == 1)
                .map(|turn| turn.place.lane)
                .collect()
        };
        let seven = firsts(7);
        for lane in 0..3 {
            assert!(seven.contains(&lane), "{lane} is never first: {seven:?}");
        }
        assert_eq!(seven, firsts(7));
        assert_ne!(seven, firsts(8));
    }

    #[test]
    fn windows_of_one_pass_are_mixed() {
        let loads = [50, 80].map(|percent| Load::Paced(RatePurpose::Share { percent }));
        let turns = turns(TurnOrder::Blocks, &places(), 20, &[&loads], &mut random(3));
        assert_eq!(turns.len(), 20 * 2 * 5);
        assert!(turns.iter().any(|turn| turn.position == 1 && turn.load == loads[0]));
        assert!(turns.iter().any(|turn| turn.position == 1 && turn.load == loads[1]));
    }

    #[test]
    fn in_one_piece_each_contender_has_all_its_blocks_in_a_row() {
        let turns = turns(TurnOrder::Contiguous, &places(), 3, &[GOODPUT, COMMON_RATE], &mut random(1));
        assert_eq!(turns.len(), 3 * 2 * 5);
        let mut lanes: Vec<usize> = turns.iter().map(|turn| turn.place.lane).collect();
        lanes.dedup();
        assert_eq!(lanes.len(), 3, "each lane comes once: {lanes:?}");
        for place in places() {
            let own: Vec<(u32, Load)> =
                turns.iter().filter(|turn| turn.place == place).map(|turn| (turn.block, turn.load)).collect();
            let both = |block| [(block, Load::Goodput), (block, COMMON_RATE[0])];
            assert_eq!(own, [both(1), both(2), both(3)].concat());
        }
        // Positions are places in the order of contenders, so none is taken twice in a block.
        let mut taken: Vec<(u32, usize, u32)> =
            turns.iter().map(|turn| (turn.block, turn.place.workload, turn.position)).collect();
        taken.sort_unstable();
        taken.dedup();
        assert_eq!(taken.len(), turns.len());
    }

    #[test]
    fn two_in_turn_are_neighbours_and_each_is_as_often_first() {
        let two = [0, 1].map(|lane| Place { lane, track: 0, workload: 0 });
        let lanes = |seed: u64| -> Vec<usize> {
            let turns = turns(TurnOrder::Alternating, &two, 40, &[GOODPUT], &mut random(seed));
            assert!(turns.is_sorted_by_key(|turn| (turn.block, turn.position)));
            turns.iter().map(|turn| turn.place.lane).collect()
        };
        let first = lanes(1);
        let second = 1 - first[0];
        assert_eq!(first[..8], [first[0], second, second, first[0], first[0], second, second, first[0]]);
        assert_eq!(first.len(), 80);
        assert!((2..20).any(|seed| lanes(seed)[0] == second), "chance chooses who begins");
        let both = turns(TurnOrder::Alternating, &places(), 4, &[GOODPUT, COMMON_RATE], &mut random(1));
        for place in places() {
            assert_eq!((count(&both, place, GOODPUT[0]), count(&both, place, COMMON_RATE[0])), (4, 4));
        }
    }

    #[test]
    fn the_slow_are_at_the_ends_and_the_fast_are_neighbours() {
        let seven: Vec<Place> = (0..7).map(|lane| Place { lane, track: 0, workload: 0 }).collect();
        let mut all = turns(TurnOrder::Blocks, &seven, 40, &[GOODPUT, COMMON_RATE], &mut random(1));
        let before = all.clone();
        slow_at_the_ends(&mut all, |place| place.lane >= 4);
        let mut at_the_front = [0; 3];
        for (pass, shuffled) in all.chunks(7).zip(before.chunks(7)) {
            let lanes: Vec<usize> = pass.iter().map(|turn| turn.place.lane).collect();
            let slow = |range: std::ops::Range<usize>| lanes[range].iter().filter(|lane| **lane >= 4).count();
            let is_odd = pass[0].block % 2 == 1;
            assert_eq!((slow(0..2), slow(2..5), slow(5..7)), if is_odd { (2, 0, 1) } else { (1, 0, 2) });
            let of = |turns: &[Turn], is_slow: bool| -> Vec<usize> {
                turns.iter().map(|turn| turn.place.lane).filter(|lane| (*lane >= 4) == is_slow).collect()
            };
            assert_eq!((of(pass, true), of(pass, false)), (of(shuffled, true), of(shuffled, false)));
            assert!(pass.iter().map(|turn| turn.position).eq(shuffled.iter().map(|turn| turn.position)));
            lanes[..1].iter().filter(|lane| **lane >= 4).for_each(|lane| at_the_front[lane - 4] += 1);
        }
        assert!(at_the_front.iter().all(|times| *times >= 10), "each is at either end: {at_the_front:?}");
    }

    #[test]
    fn positions_have_no_holes_where_some_are_left_out() {
        let mut left = turns(TurnOrder::Blocks, &places(), 4, &[GOODPUT, COMMON_RATE], &mut random(1));
        left.retain(|turn| turn.place.lane != 0);
        count_positions(&mut left);
        let own: Vec<u32> = left.iter().filter(|turn| turn.block == 2).map(|turn| turn.position).collect();
        assert_eq!(own, [1, 2, 1, 2, 3, 4]);
    }

    #[test]
    fn each_pair_of_the_proof_has_both_in_an_order_of_chance() {
        let pairs = proof(40, &mut random(5));
        assert_eq!(pairs.len(), 40);
        assert!(pairs.iter().all(|pair| pair[0] != pair[1]));
        let slowed_first = pairs.iter().filter(|pair| pair[0]).count();
        assert!((5..=35).contains(&slowed_first), "{slowed_first}");
    }
}
