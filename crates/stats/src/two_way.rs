//! A table of contenders by blocks, or by launches, taken apart into what a contender does and what a moment does to all.
//!
//! log figure = level of the block or launch + effect of the contender + error. Differences of effects add up: what is said of
//! two contenders never contradicts what is said of each beside a third.

use crate::median::median;

/// A launch with more contenders is not taken apart, which takes the square of their number in medians: each then has its own
/// median. No run has nearly as many.
const MOST_CONTENDERS: usize = 256;
/// Logarithms are kept to this, a millionth of a millionth: so their sums and differences are exact, and equal figures stay equal
/// however they were added.
const GRAIN: f64 = 1.0 / (1_u64 << 40) as f64;

/// One number for each contender of a launch, from the logarithms of its blocks: `contenders[c][b]`, NaN where there is none.
/// NaN for a contender without blocks; for one whose middle block is 0 or infinite that, and the others go without it.
///
/// Of each two contenders the median over the blocks that both have of the difference, which what a block does to both is not in.
/// These medians of three contenders do not add up; the effects are the numbers whose differences come closest to all of them
/// (least squares, a median weighing as much as it has blocks: Lehmann, "Asymptotically nonparametric inference: an alternative
/// approach to linear models", Annals of Mathematical Statistics 34, 1963, with medians in place of his estimates). Of two
/// contenders they are the median itself. The level is the median of what own medians leave, so that numbers stay figures.
pub fn levels_in_launch(contenders: &[&[f64]]) -> Vec<f64> {
    let own: Vec<f64> = contenders.iter().map(|blocks| own_median(blocks)).collect();
    let takes_part: Vec<usize> = (0..own.len()).filter(|contender| own[*contender].is_finite()).collect();
    let mut levels: Vec<f64> = own.clone();
    if (2..=MOST_CONTENDERS).contains(&takes_part.len()) {
        let rows: Vec<&[f64]> = takes_part.iter().map(|contender| contenders[*contender]).collect();
        let fitted = Fit::of(rows.len(), |one, other| paired_median(rows[one], rows[other]));
        for members in &fitted.components {
            let left: Vec<f64> =
                members.iter().map(|place| own[takes_part[*place]] - fitted.effects[*place]).collect();
            // Finite, as own medians and effects are.
            let level = median(&left).unwrap_or(f64::NAN);
            members.iter().for_each(|place| levels[takes_part[*place]] = level + fitted.effects[*place]);
        }
    }
    levels.into_iter().map(rounded).collect()
}

/// The mean over launches of each contender's numbers, `contenders[c][l]`, NaN where a launch lacks it. A launch that some lack
/// is made up for by what it did to the others (least squares for level of the launch + effect of the contender; so each missing
/// number is taken for what the model says: Yates, "The analysis of replicated experiments when the field results are incomplete",
/// Empire Journal of Experimental Agriculture 1, 1933). Where none is missing these are the plain means.
///
/// `None` without numbers, and of a contender of which one is infinite; the others go without it. Contenders that are tied by no
/// chain of common launches each have the mean over the launches of those that they are tied to.
pub fn means_over_launches(contenders: &[Vec<f64>]) -> Vec<Option<f64>> {
    let is_usable = |launches: &Vec<f64>| {
        launches.iter().any(|log| log.is_finite()) && !launches.iter().any(|log| log.is_infinite())
    };
    let used: Vec<usize> =
        (0..contenders.len()).filter(|contender| is_usable(&contenders[*contender])).collect();
    let rows: Vec<&Vec<f64>> = used.iter().map(|contender| &contenders[*contender]).collect();
    let launches = rows.iter().map(|row| row.len()).max().unwrap_or(0);
    let at = |row: usize, launch: usize| rows[row].get(launch).copied().filter(|log| log.is_finite());
    let members: Vec<Vec<usize>> = (0..launches)
        .map(|launch| (0..rows.len()).filter(|row| at(*row, launch).is_some()).collect())
        .collect();
    let mut means = vec![None; contenders.len()];
    let is_whole = members.iter().all(|members| members.is_empty() || members.len() == rows.len());
    if is_whole || rows.len() > MOST_CONTENDERS {
        for (row, contender) in used.iter().enumerate() {
            means[*contender] = mean((0..launches).filter_map(|launch| at(row, launch)));
        }
        return means.into_iter().map(|mean: Option<f64>| mean.map(rounded)).collect();
    }
    // The sum of squares about a launch's mean is that of all its differences over their number.
    let fitted = Fit::of(rows.len(), |one, other| {
        let both = (0..launches).filter_map(|launch| {
            Some((at(one, launch)? - at(other, launch)?, 1.0 / members[launch].len() as f64))
        });
        let (sum, weight) = both.fold((0.0, 0.0), |(sum, weight), (d, w)| (sum + w * d, weight + w));
        (weight > 0.0).then(|| (sum / weight, weight))
    });
    for tied in &fitted.components {
        // All members of a launch are tied by it.
        let own =
            (0..launches).filter(|launch| members[*launch].first().is_some_and(|row| tied.contains(row)));
        let level_of = |launch: usize| {
            mean(members[launch].iter().filter_map(|row| Some(at(*row, launch)? - fitted.effects[*row])))
        };
        let level = mean(own.filter_map(level_of));
        for row in tied {
            means[used[*row]] = level.map(|level| rounded(level + fitted.effects[*row]));
        }
    }
    means
}

/// The median of what is there; NaN of nothing, and infinite where the middle is.
fn own_median(blocks: &[f64]) -> f64 {
    let mut there: Vec<f64> = blocks.iter().copied().filter(|log| !log.is_nan()).collect();
    if there.is_empty() {
        return f64::NAN;
    }
    there.sort_by(f64::total_cmp);
    // Of two middle values that are infinite with different signs there is no mean.
    crate::median::median_of_sorted(&there)
}

/// The median over common blocks of the difference, and how many there are; `None` where that is no finite number.
fn paired_median(one: &[f64], other: &[f64]) -> Option<(f64, f64)> {
    let differences: Vec<f64> = one.iter().zip(other).map(|(a, b)| a - b).filter(|d| !d.is_nan()).collect();
    median(&differences).map(|median| (median, differences.len() as f64))
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// To the grain; what is not finite stays.
fn rounded(log: f64) -> f64 {
    if log.is_finite() { (log / GRAIN).round() * GRAIN } else { log }
}

/// Effects whose differences come closest to those that were seen.
struct Fit {
    /// Of the members of a component they add up to 0.
    effects: Vec<f64>,
    /// Those that are tied by a chain of differences.
    components: Vec<Vec<usize>>,
}

impl Fit {
    /// `difference(i, j)`, for i < j: the first less the second, and what it weighs.
    fn of(count: usize, difference: impl Fn(usize, usize) -> Option<(f64, f64)>) -> Self {
        let turned = |(difference, weight): (f64, f64)| (-difference, weight);
        // Each pair is looked at once: from the diagonal on.
        let upper: Vec<Vec<Option<(f64, f64)>>> = (0..count)
            .map(|one| {
                let others = (one + 1..count).map(|other| difference(one, other));
                std::iter::once(None).chain(others).collect()
            })
            .collect();
        let whole = |one: usize, other: usize| {
            if one <= other { upper[one][other - one] } else { upper[other][one - other].map(turned) }
        };
        let seen: Vec<Vec<Option<(f64, f64)>>> =
            (0..count).map(|one| (0..count).map(|other| whole(one, other)).collect()).collect();
        let components = components(&seen);
        let mut effects = vec![0.0; count];
        for members in &components {
            for (effect, member) in solve(&seen, members).into_iter().zip(members) {
                effects[*member] = effect;
            }
        }
        Self { effects, components }
    }
}

fn components(seen: &[Vec<Option<(f64, f64)>>]) -> Vec<Vec<usize>> {
    let mut is_placed = vec![false; seen.len()];
    let mut components = Vec::new();
    for first in 0..seen.len() {
        if std::mem::replace(&mut is_placed[first], true) {
            continue;
        }
        let mut members = vec![first];
        let mut next = 0;
        while let Some(member) = members.get(next).copied() {
            next += 1;
            for other in 0..seen.len() {
                if seen[member][other].is_some() && !std::mem::replace(&mut is_placed[other], true) {
                    members.push(other);
                }
            }
        }
        members.sort_unstable();
        components.push(members);
    }
    components
}

/// The effects of the members of a component, which add up to 0.
fn solve(seen: &[Vec<Option<(f64, f64)>>], members: &[usize]) -> Vec<f64> {
    let count = members.len();
    let pair = |i: usize, j: usize| seen[members[i]][members[j]];
    let first = if count > 1 { pair(0, 1) } else { None };
    let is_even = |(_, weight): (f64, f64)| first.is_some_and(|(_, of_first)| of_first == weight);
    if (0..count).all(|i| (0..count).all(|j| i == j || pair(i, j).is_some_and(is_even))) {
        // The normal equations are solved by means.
        let sum = |i: usize| (0..count).filter_map(|j| Some(pair(i, j)?.0)).sum::<f64>();
        return (0..count).map(|i| sum(i) / count as f64).collect();
    }
    // The last effect is held at 0, and all are centred afterwards.
    let unknown = count - 1;
    let mut matrix = vec![vec![0.0; unknown + 1]; unknown];
    for (i, row) in matrix.iter_mut().enumerate() {
        for j in (0..count).filter(|j| *j != i) {
            let Some((difference, weight)) = pair(i, j) else { continue };
            row[i] += weight;
            if j < unknown {
                row[j] -= weight;
            }
            row[unknown] += weight * difference;
        }
    }
    // Symmetric and positive definite, as the members are tied: no pivot is 0.
    for pivot in 0..unknown {
        let (above, below) = matrix.split_at_mut(pivot + 1);
        let row = &above[pivot];
        for lower in below {
            let factor = lower[pivot] / row[pivot];
            if factor != 0.0 {
                lower.iter_mut().zip(row).skip(pivot).for_each(|(value, from)| *value -= factor * from);
            }
        }
    }
    let mut effects = vec![0.0; count];
    for i in (0..unknown).rev() {
        let known: f64 = (i + 1..unknown).map(|j| matrix[i][j] * effects[j]).sum();
        effects[i] = (matrix[i][unknown] - known) / matrix[i][i];
    }
    let centre = effects.iter().sum::<f64>() / count as f64;
    effects.into_iter().map(|effect| effect - centre).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::splitmix::SplitMix64;
    use proptest::prelude::*;

    fn near(found: f64, expected: f64) -> bool {
        (found - expected).abs() < 1e-9
    }

    #[test]
    fn of_two_contenders_it_is_the_paired_median() {
        let [one, other] = [[3.0, 5.0, f64::NAN, 9.0, 2.0], [1.0, 4.0, 7.0, 3.0, f64::NAN]];
        let levels = levels_in_launch(&[&one, &other]);
        // Differences 2, 1, 6.
        assert_eq!(levels[0] - levels[1], 2.0);
        // Own medians 4 and 3.5, so the middle of what they leave is 3.75.
        assert_eq!(levels, [4.75, 2.75]);
    }

    #[test]
    fn one_alone_has_its_own_median() {
        assert_eq!(levels_in_launch(&[&[1.0, 2.0, 4.0]]), [2.0]);
        assert!(levels_in_launch(&[&[f64::NAN]])[0].is_nan() && levels_in_launch(&[&[]])[0].is_nan());
        assert!(levels_in_launch(&[]).is_empty());
    }

    #[test]
    fn one_without_answers_does_not_spoil_the_others() {
        let none = f64::NEG_INFINITY;
        let levels = levels_in_launch(&[&[3.0, 3.0, 3.0], &[1.0, 1.0, 1.0], &[none, none, 2.0]]);
        assert_eq!(levels, [3.0, 1.0, none]);
        // One block without answers is one bad block.
        let levels = levels_in_launch(&[&[3.0, 3.0, 3.0], &[1.0, 1.0, none]]);
        assert_eq!(levels[0] - levels[1], 2.0);
    }

    #[test]
    fn who_shares_no_block_keeps_its_own_level() {
        let gap = f64::NAN;
        let levels = levels_in_launch(&[&[3.0, gap], &[1.0, gap], &[gap, 8.0]]);
        assert_eq!(levels, [3.0, 1.0, 8.0]);
    }

    #[test]
    fn equal_rows_have_equal_levels() {
        let row = [0.1, 0.7, 0.3, 1.0 / 3.0];
        let odd = [0.2, f64::NAN, 0.9, 0.4];
        let levels = levels_in_launch(&[&row, &odd, &row, &[0.5, 0.6, f64::NAN, 0.1]]);
        assert_eq!(levels[0].to_bits(), levels[2].to_bits());
    }

    /// A launch that is slow for all and that one lacks does not make it look fast.
    #[test]
    fn a_missing_launch_is_made_up_for() {
        let gap = f64::NAN;
        let found = means_over_launches(&[vec![10.0, 10.0, 4.0], vec![9.0, 9.0, gap], vec![8.0, 8.0, 2.0]]);
        let expected = [8.0, 7.0, 6.0];
        assert!(
            found.iter().zip(expected).all(|(found, expected)| near(found.unwrap(), expected)),
            "{found:?}"
        );
    }

    #[test]
    fn what_has_no_mean() {
        let gap = f64::NAN;
        assert!(means_over_launches(&[]).is_empty());
        let found = means_over_launches(&[vec![gap, gap], vec![1.0, f64::INFINITY], vec![2.0, 4.0], vec![]]);
        assert_eq!(found, [None, None, Some(3.0), None]);
        // No launch in common.
        let found = means_over_launches(&[vec![1.0, 3.0, gap, gap], vec![gap, gap, 7.0, 9.0]]);
        assert_eq!(found, [Some(2.0), Some(8.0)]);
    }

    /// Contenders by columns, with gaps, each of which has a number somewhere.
    fn tables() -> impl Strategy<Value = Vec<Vec<f64>>> {
        (2_usize..6, 2_usize..8).prop_flat_map(|(contenders, columns)| {
            let cell = prop_oneof![4 => -3.0..3.0_f64, 1 => Just(f64::NAN)];
            proptest::collection::vec(proptest::collection::vec(cell, columns), contenders)
        })
    }

    proptest! {
        /// The oracle: no small step away from the effects brings their differences closer.
        #[test]
        fn no_other_effects_come_closer(table in tables(), seed: u64) {
            let seen = |one: usize, other: usize| paired_median(&table[one], &table[other]);
            let fit = Fit::of(table.len(), seen);
            let misfit = |effects: &[f64]| -> f64 {
                (0..table.len())
                    .flat_map(|one| (one + 1..table.len()).map(move |other| (one, other)))
                    .filter_map(|(one, other)| {
                        let (difference, weight) = seen(one, other)?;
                        Some(weight * (effects[one] - effects[other] - difference).powi(2))
                    })
                    .sum()
            };
            let best = misfit(&fit.effects);
            let mut random = SplitMix64::new(seed);
            for _ in 0..20 {
                let other: Vec<f64> = fit.effects.iter().map(|effect| effect + 0.01 * random.normal()).collect();
                prop_assert!(misfit(&other) >= best - 1e-9);
            }
        }

        /// The oracle: Yates's way, filling gaps with what the model says until nothing changes.
        #[test]
        fn agrees_with_filling_the_gaps(table in tables()) {
            let columns = table[0].len();
            prop_assume!(table.iter().all(|row| row.iter().any(|cell| !cell.is_nan())));
            // A row and a column that are whole tie all together.
            let mut table = table;
            table[0].iter_mut().enumerate().for_each(|(at, cell)| *cell = at as f64 / 3.0);
            let mut filled = table.clone();
            filled.iter_mut().flatten().filter(|cell| cell.is_nan()).for_each(|cell| *cell = 0.0);
            let rows = table.len() as f64;
            for _ in 0..4_000 {
                let all = filled.iter().flatten().sum::<f64>() / (rows * columns as f64);
                let of_row: Vec<f64> = filled.iter().map(|row| row.iter().sum::<f64>() / columns as f64).collect();
                let of_column: Vec<f64> =
                    (0..columns).map(|at| filled.iter().map(|row| row[at]).sum::<f64>() / rows).collect();
                for (row, cells) in table.iter().enumerate() {
                    for (at, _) in cells.iter().enumerate().filter(|(_, cell)| cell.is_nan()) {
                        filled[row][at] = of_row[row] + of_column[at] - all;
                    }
                }
            }
            for (found, row) in means_over_launches(&table).iter().zip(&filled) {
                let expected = row.iter().sum::<f64>() / columns as f64;
                prop_assert!((found.unwrap() - expected).abs() < 1e-6, "{:?}, {}", found, expected);
            }
        }

        /// What a block does to all is in no difference, and what a contender is goes into its own number alone.
        #[test]
        fn moves_with_the_contender_and_not_with_the_block(
            table in proptest::collection::vec(proptest::collection::vec(-3.0..3.0_f64, 6), 2..6),
            drift in proptest::collection::vec(-5.0..5.0_f64, 6),
            step in -2.0..2.0_f64,
        ) {
            let levels = |table: &[Vec<f64>]| {
                levels_in_launch(&table.iter().map(Vec::as_slice).collect::<Vec<_>>())
            };
            let before = levels(&table);
            let drifted: Vec<Vec<f64>> =
                table.iter().map(|row| row.iter().zip(&drift).map(|(a, b)| a + b).collect()).collect();
            let after = levels(&drifted);
            for other in 1..table.len() {
                prop_assert!(near(after[other] - after[0], before[other] - before[0]));
            }
            let mut moved = table;
            moved[0].iter_mut().for_each(|cell| *cell += step);
            let after = levels(&moved);
            prop_assert!(near(after[0] - before[0], step));
            prop_assert!((1..moved.len()).all(|other| near(after[other], before[other])));
        }

        #[test]
        fn any_numbers_give_an_answer(
            table in proptest::collection::vec(proptest::collection::vec(any::<f64>(), 0..6), 0..6),
        ) {
            let rows: Vec<&[f64]> = table.iter().map(Vec::as_slice).collect();
            prop_assert_eq!(levels_in_launch(&rows).len(), table.len());
            prop_assert_eq!(means_over_launches(&table).len(), table.len());
        }
    }
}
