/// The numbers of splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014),
/// for simulation and resampling: the whole sequence follows from the seed.
#[derive(Debug, Clone)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`, which must not be 0. Multiply-shift; its bias is below n / 2^64.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next_u64()) * n as u128) >> 64) as usize
    }

    /// A number strictly between 0 and 1.
    pub fn unit(&mut self) -> f64 {
        ((self.next_u64() >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    }

    /// A standard normal number, by Box and Muller's method ("A note on the generation of random normal deviates",
    /// Annals of Mathematical Statistics 29, 1958).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.unit().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The first numbers of seed 1234567, as published with the reference implementation.
    #[test]
    fn known_answers() {
        let mut random = SplitMix64::new(1_234_567);
        let expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423_u64];
        assert_eq!(expected, std::array::from_fn(|_| random.next_u64()));
    }

    #[test]
    fn normal_numbers_are_normal() {
        let mut random = SplitMix64::new(1);
        let n = 20_000;
        let numbers: Vec<f64> = (0..n).map(|_| random.normal()).collect();
        let moment = |power: i32| numbers.iter().map(|z| z.powi(power)).sum::<f64>() / f64::from(n);
        // Within four standard errors.
        for (power, expected, spread) in [(1, 0.0, 1.0), (2, 1.0, 2.0), (3, 0.0, 15.0), (4, 3.0, 96.0)] {
            assert!((moment(power) - expected).abs() < 4.0 * f64::sqrt(spread / f64::from(n)));
        }
    }

    proptest! {
        #[test]
        fn stays_in_range(seed: u64, n in 1_usize..1_000_000) {
            let mut random = SplitMix64::new(seed);
            prop_assert!(random.below(n) < n);
            let unit = random.unit();
            prop_assert!(0.0 < unit && unit < 1.0);
            prop_assert!(random.normal().is_finite());
        }
    }
}
