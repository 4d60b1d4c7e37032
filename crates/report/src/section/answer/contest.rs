use std::collections::HashSet;

use velo_judge::{ComparedPair, Estimate, JudgedWorkload, Series, Standing};
use velo_model::{Better, Class, ContenderName};
use velo_stats::PairRules;

/// Ranked contenders and how any two of them compare, whatever the figure is.
pub(super) struct Contest<'j> {
    /// The best first, each with the best place that it may hold.
    ranked: Vec<(&'j ContenderName, u32)>,
    duels: Vec<Duel<'j>>,
    /// Two are equal when neither is more than this share above the other.
    pub(super) equal_within: f64,
    /// A difference of this share between any two would have been found; where that is known.
    pub(super) could_have_seen: Option<f64>,
}

/// Who started contenders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Started {
    ByVelo,
    /// They ran already.
    Externally,
}

/// Two of them.
struct Duel<'j> {
    better: &'j ContenderName,
    worse: &'j ContenderName,
    standing: Standing,
    /// The greater figure over the lesser one.
    ratio: Option<Estimate>,
}

impl Duel<'_> {
    fn is_between(&self, one: &ContenderName, other: &ContenderName) -> bool {
        (self.better == one && self.worse == other) || (self.better == other && self.worse == one)
    }

    /// The interval of the ratio as seen from the side of `ahead`, its value twice where there is none; `None` where it is no
    /// number that can be said.
    fn ratio_for(&self, ahead: &ContenderName) -> Option<(f64, f64)> {
        let ratio = self.ratio.as_ref()?;
        let (low, high) = ratio.interval().unwrap_or((ratio.value, ratio.value));
        let (low, high) = if self.better == ahead { (low, high) } else { (1.0 / high, 1.0 / low) };
        (low > 0.0 && low <= high && high.is_finite()).then_some((low, high))
    }
}

impl<'j> Duel<'j> {
    fn of(pair: &'j ComparedPair, better: Better) -> Self {
        let (better, worse) = match better {
            Better::More => (&pair.over, &pair.under),
            Better::Less => (&pair.under, &pair.over),
        };
        Self { better, worse, standing: pair.state, ratio: pair.ratio }
    }
}

impl<'j> Contest<'j> {
    /// By a figure, the best first: those that `velo` started, else those that ran already.
    pub(super) fn by(series: &'j Series, workload: &'j JudgedWorkload) -> Option<Self> {
        let among = |started| Self::among(series, workload, started);
        among(Started::ByVelo).or_else(|| among(Started::Externally))
    }

    /// By a figure, the best first, of those that were started in one way: others are no pairs of them.
    pub(super) fn among(series: &'j Series, workload: &'j JudgedWorkload, started: Started) -> Option<Self> {
        let is_external = |name: &ContenderName| {
            workload.rows.iter().any(|row| row.contender == *name && row.class == Class::Running)
        };
        let is_meant = |name: &ContenderName| is_external(name) == (started == Started::Externally);
        let ranked = series.points.iter().filter_map(|point| Some((&point.contender, point.best?)));
        let ranked = ranked.filter(|(name, _)| is_meant(name));
        let mut ranked: Vec<(&ContenderName, u32)> = ranked.collect();
        ranked.sort_by_key(|(_, best)| *best);
        let pairs = workload.pairs_by(series.of, Some(series.under));
        let duels = pairs.into_iter().flat_map(|pairs| &pairs.compared);
        let duels = duels.filter(|pair| is_meant(&pair.over));
        let duels = duels.map(|pair| Duel::of(pair, series.better));
        let could_have_seen = pairs.and_then(|pairs| pairs.could_have_seen_most);
        let equal_within = pairs.map(|pairs| pairs.equal_within);
        Self::of(ranked, duels.collect(), equal_within, could_have_seen)
    }

    /// `None` where nobody is ranked, or nobody may be first: then each has another one above it, and there is no answer.
    fn of(
        ranked: Vec<(&'j ContenderName, u32)>,
        duels: Vec<Duel<'j>>,
        equal_within: Option<f64>,
        could_have_seen: Option<f64>,
    ) -> Option<Self> {
        let equal_within = equal_within.unwrap_or(PairRules::default().equal_within);
        let contest = Self { ranked, duels, equal_within, could_have_seen };
        contest.ranked.iter().any(|(_, best)| *best == 1).then_some(contest)
    }

    pub(super) fn ranked(&self) -> usize {
        self.ranked.len()
    }

    /// Those that may be first: none of them is separated from another one of them.
    pub(super) fn leaders(&self) -> Vec<&'j ContenderName> {
        self.ranked.iter().filter(|(_, best)| *best == 1).map(|(name, _)| *name).collect()
    }

    /// The first of those that are behind, and the last one where that is another.
    pub(super) fn behind(&self) -> Vec<&'j ContenderName> {
        let mut behind = self.ranked.iter().filter(|(_, best)| *best > 1).map(|(name, _)| *name);
        behind.next().into_iter().chain(behind.next_back()).collect()
    }

    /// Whether all leaders are equal to one another for practical purposes.
    pub(super) fn leaders_are_equal(&self) -> bool {
        let leaders: HashSet<&ContenderName> = self.leaders().into_iter().collect();
        let mut among = self
            .duels
            .iter()
            .filter(|duel| leaders.contains(duel.better) && leaders.contains(duel.worse))
            .peekable();
        among.peek().is_some() && among.all(|duel| duel.standing == Standing::Equal)
    }

    /// How many times the lesser figure the greater one is, between any leader and another contender: the hull of the
    /// pairs' own intervals. `None` where one of them is not known.
    pub(super) fn times(&self, other: &ContenderName) -> Option<(f64, f64)> {
        let leaders: HashSet<&ContenderName> = self.leaders().into_iter().collect();
        let mut hull: Option<(f64, f64)> = None;
        for duel in &self.duels {
            let leader = if duel.worse == other { duel.better } else { duel.worse };
            if duel.is_between(leader, other) && leaders.contains(leader) {
                let (low, high) = duel.ratio_for(leader)?;
                hull = hull.map_or(Some((low, high)), |(least, most)| Some((least.min(low), most.max(high))));
            }
        }
        hull
    }

    /// The same between two leaders.
    pub(super) fn between(&self, one: &ContenderName, other: &ContenderName) -> Option<(f64, f64)> {
        self.duels.iter().find(|duel| duel.is_between(one, other))?.ratio_for(one)
    }
}
