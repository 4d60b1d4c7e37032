//! The order of the tools within a round, from a seed.

use velo_load::Rng;

/// The indices below `count` in a random order.
pub(crate) fn shuffled(count: usize, random: &mut Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        order.swap(last, random.below(last as u64 + 1) as usize);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tool_once_and_each_place_by_each_tool() {
        let mut random = Rng::new(7);
        let mut seen = [[0; 5]; 5];
        for _ in 0..1000 {
            let order = shuffled(5, &mut random);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4]);
            for (place, tool) in order.into_iter().enumerate() {
                seen[place][tool] += 1;
            }
        }
        // 200 expected, standard deviation 12.6.
        assert!(seen.iter().flatten().all(|count| (130..270).contains(count)), "{seen:?}");
    }

    #[test]
    fn a_seed_gives_one_order() {
        let orders = |seed| (0..10).map(|_| shuffled(9, &mut Rng::new(seed))).collect::<Vec<_>>();
        assert_eq!(orders(1), orders(1));
        assert_ne!(orders(1), orders(2));
    }
}
