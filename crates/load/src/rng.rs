use velo_stats::SplitMix64;

/// xoshiro256++ (Blackman and Vigna, 2019), seeded by splitmix64: a few nanoseconds a draw, which matters at
/// 200,000 requests a second; not for secrets.
#[derive(Debug, Clone)]
pub struct Rng([u64; 4]);

impl Rng {
    /// A generator whose whole sequence follows from the seed.
    pub fn new(seed: u64) -> Self {
        let mut state = SplitMix64::new(seed);
        Self(std::array::from_fn(|_| state.next_u64()))
    }

    /// 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.0;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A number below `n`, which must not be 0. Multiply-shift; its bias is below n / 2^64.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(n)) >> 64) as u64
    }

    /// A number from `min` to `max`, both included.
    pub fn between(&mut self, min: u64, max: u64) -> u64 {
        match (max - min).checked_add(1) {
            Some(n) => min + self.below(n),
            None => self.next_u64(),
        }
    }

    /// A number in `[0, 1)`, a multiple of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// An exponentially distributed number of mean 1, from 0 to 36.8.
    pub fn exponential(&mut self) -> f64 {
        -(1.0 - self.unit()).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_values_are_those_of_the_reference_code() {
        // xoshiro256++ from the state 1, 2, 3, 4: the first outputs of the authors' C code.
        let mut rng = Rng([1, 2, 3, 4]);
        let got: [u64; 4] = std::array::from_fn(|_| rng.next_u64());
        assert_eq!(got, [41_943_041, 58_720_359, 3_588_806_011_781_223, 3_591_011_842_654_386]);
    }

    #[test]
    fn a_range_is_covered_evenly_to_both_ends() {
        let mut rng = Rng::new(7);
        let mut counts = [0u32; 6];
        for _ in 0..60_000 {
            counts[(rng.between(3, 8) - 3) as usize] += 1;
        }
        // 10,000 each, standard deviation 91: six of them.
        assert!(counts.iter().all(|&n| (9_450..=10_550).contains(&n)), "{counts:?}");
        assert_eq!(rng.between(5, 5), 5);
        rng.between(0, u64::MAX);
    }

    #[test]
    fn exponential_draws_have_the_right_distribution() {
        let mut rng = Rng::new(1);
        let mut draws: Vec<f64> = (0..20_000).map(|_| rng.exponential()).collect();
        draws.sort_by(f64::total_cmp);
        let n = draws.len() as f64;
        let distance = draws.iter().enumerate().fold(0.0_f64, |distance, (index, draw)| {
            let expected = 1.0 - (-draw).exp();
            let (below, above) = (index as f64 / n, (index + 1) as f64 / n);
            distance.max((expected - below).abs()).max((expected - above).abs())
        });
        // Kolmogorov-Smirnov: 1.95 / sqrt(n) is exceeded once in 1,000 seeds.
        assert!(distance < 1.95 / n.sqrt(), "{distance}");
        assert!(draws.first().is_some_and(|least| *least >= 0.0));
    }
}
