//! A contender in a workload: everything that the run left about it.

use std::collections::{BTreeMap, BTreeSet};

use velo_model::{ContenderName, Figure, FigureKind, PartyRole, Workload};
use velo_record::{ContenderRecord, Placement, RunFile, Window, WindowKind};

use crate::measure::billed_steal;
use crate::measure::blocks::Disturbed;
use crate::measure::busy::busy_share;
use crate::measure::exposure::Exposure;
use crate::measure::figures::{Blocks, blocks, median_over, of_window};
use crate::measure::launch_logs::{LaunchLogs, fit_by};
use crate::measure::taken::TakenShares;

/// A contender in a workload.
pub(crate) struct Cell<'a> {
    pub(crate) workload: &'a Workload,
    pub(crate) record: &'a ContenderRecord,
    /// All but those apart, in the order measured.
    pub(crate) windows: Vec<&'a Window>,
    /// Those of loads of their own, in the order measured.
    pub(crate) apart: Vec<&'a Window>,
    /// The counted ones: those of blocks that were not dropped.
    pub(crate) blocks: Vec<&'a Window>,
    /// Those at a stated rate, without those of blocks that were dropped.
    pub(crate) paced: Vec<&'a Window>,
    /// What CPU times are multiplied with: less than 1 where they hold what the hypervisor stole.
    cpu_scale: f64,
    /// One number a launch, by what they are of; from one fit of all contenders of the workload each.
    logs: BTreeMap<Measured, LaunchLogs>,
}

/// What contenders of a workload were measured by together: a figure, and the bits of a rate for all, or 0 under their own load.
type Measured = (Figure, u64);

/// All cells of a run.
pub(crate) struct Cells<'a> {
    /// By workload and contender.
    cells: BTreeMap<&'a str, BTreeMap<&'a ContenderName, Cell<'a>>>,
    /// What was taken from either side over all counted windows; `None` where that is not known.
    pub(crate) taken: Option<TakenShares>,
    /// CPU times held what the hypervisor stole, and are corrected.
    pub(crate) is_steal_billed: bool,
}

impl<'a> Cells<'a> {
    /// A cell for each contender in each workload that it answers or was measured in. Windows of workloads or
    /// contenders that the run does not know are left out.
    pub(crate) fn new(
        file: &'a RunFile,
        windows: impl Iterator<Item = &'a Window>,
        disturbed: &Disturbed,
    ) -> Self {
        let mut by_cell: BTreeMap<(&str, &ContenderName), Vec<&Window>> = BTreeMap::new();
        for window in windows {
            by_cell.entry((&window.workload, &window.contender)).or_default().push(window);
        }
        let mut cells: BTreeMap<&str, BTreeMap<&ContenderName, Cell<'a>>> = BTreeMap::new();
        for workload in &file.workloads {
            for record in &file.contenders {
                let name = &record.manifest.name;
                let windows = by_cell.remove(&(workload.name.as_str(), name)).unwrap_or_default();
                let (apart, windows): (Vec<&Window>, Vec<&Window>) =
                    windows.into_iter().partition(|window| window.kind().is_apart());
                if windows.is_empty()
                    && apart.is_empty()
                    && (!workload.is_for(&record.manifest) || !record.manifest.role.is_server())
                {
                    continue;
                }
                let kept = |kind| -> Vec<&'a Window> {
                    let of_kind = windows.iter().copied().filter(|window| window.kind() == kind);
                    of_kind.filter(|window| !disturbed.drops(window.launch, window.block)).collect()
                };
                let (blocks, paced) = (kept(WindowKind::Block), kept(WindowKind::Paced));
                // A name that stands twice in a hostile file keeps its first cell.
                let cell = Cell {
                    workload,
                    record,
                    windows,
                    apart,
                    blocks,
                    paced,
                    cpu_scale: 1.0,
                    logs: BTreeMap::new(),
                };
                cells.entry(&workload.name).or_default().entry(name).or_insert(cell);
            }
        }
        let blocks = cells.values().flat_map(BTreeMap::values).flat_map(|cell| cell.blocks.iter().copied());
        let is_steal_billed = billed_steal::is_in_cpu_times(blocks, &file.placement);
        for cell in cells.values_mut().flat_map(BTreeMap::values_mut).filter(|_| is_steal_billed) {
            let taken = TakenShares::over(cell.blocks.iter().chain(&cell.paced).copied(), &file.placement);
            cell.cpu_scale = 1.0 - taken.map_or(0.0, |taken| taken.stolen_server.min(0.9));
        }
        let counted =
            cells.values().flat_map(BTreeMap::values).flat_map(|cell| cell.blocks.iter().chain(&cell.paced));
        let taken = TakenShares::over(counted.copied(), &file.placement);
        let taken_share = taken.map_or(0.0, |taken| taken.worse());
        for of_workload in cells.values_mut() {
            let measured: Vec<BTreeMap<Measured, Blocks>> =
                of_workload.values().map(Cell::measured).collect();
            for (cell, logs) in of_workload.values_mut().zip(fit_by(&measured)) {
                let exposed = logs
                    .into_iter()
                    .map(|(of, logs)| (of, logs.exposed(cell.exposure(of, taken_share, &file.placement))));
                cell.logs = exposed.collect();
            }
        }
        Self { cells, taken, is_steal_billed }
    }

    pub(crate) fn get(&self, workload: &str, contender: &ContenderName) -> Option<&Cell<'a>> {
        self.cells.get(workload)?.get(contender)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Cell<'a>> {
        self.cells.values().flat_map(BTreeMap::values)
    }

    pub(crate) fn of_workload(&self, workload: &str) -> impl Iterator<Item = &Cell<'a>> {
        self.cells.get(workload).into_iter().flat_map(BTreeMap::values)
    }
}

impl<'a> Cell<'a> {
    /// Its bursts, in the order measured.
    pub(crate) fn bursts(&self) -> impl Iterator<Item = &'a Window> {
        self.apart.iter().copied().filter(|window| window.burst().is_some())
    }

    /// What a figure is measured in, by launch and block under the workload's own load.
    pub(crate) fn of_blocks(&self, figure: Figure) -> Blocks {
        self.scaled(figure, blocks(&self.blocks, WindowKind::Block, figure))
    }

    /// One number a launch.
    pub(crate) fn logs(&self, figure: Figure) -> LaunchLogs {
        self.logs.get(&(figure, 0)).cloned().unwrap_or_default()
    }

    /// The same at a common rate.
    pub(crate) fn logs_at(&self, figure: Figure, rate_per_s: f64) -> LaunchLogs {
        self.logs.get(&(figure, rate_per_s.to_bits())).cloned().unwrap_or_default()
    }

    /// This cell over another of the same workload, one log ratio a launch, paired by block.
    pub(crate) fn over(&self, other: &Self, figure: Figure) -> LaunchLogs {
        self.logs(figure).over(&other.logs(figure))
    }

    /// What a figure is measured in, by launch and block at a common rate.
    pub(crate) fn of_rate(&self, figure: Figure, rate_per_s: f64) -> Blocks {
        let at_rate = self.at_common_rates().filter(|(_, rate)| *rate == rate_per_s);
        let of_rate = at_rate
            .filter_map(|(window, _)| Some(((window.launch, window.block), of_window(figure, window)?)));
        self.scaled(figure, of_rate.collect())
    }

    fn scaled(&self, figure: Figure, mut blocks: Blocks) -> Blocks {
        if figure != Figure::Goodput && self.cpu_scale != 1.0 {
            blocks.values_mut().for_each(|value| *value *= self.cpu_scale);
        }
        blocks
    }

    /// The windows at a common rate, with that rate.
    pub(crate) fn at_common_rates(&self) -> impl Iterator<Item = (&'a Window, f64)> {
        self.paced.iter().filter_map(|window| {
            let paced = window.paced()?;
            paced.purpose.is_common().then_some((*window, paced.rate_per_s))
        })
    }

    /// What a figure was exposed to; `taken_share`: that of the run.
    fn exposure(&self, (figure, rate): Measured, taken_share: f64, placement: &Placement) -> Exposure {
        let windows: Vec<&Window> = match rate {
            0 => self.blocks.clone(),
            bits => {
                let at_rate = self.at_common_rates().filter(|(_, rate_per_s)| rate_per_s.to_bits() == bits);
                at_rate.map(|(window, _)| window).collect()
            }
        };
        let busy = |window: &Window| busy_share(window, PartyRole::Generator, placement);
        Exposure {
            taken_share,
            generator_busy: median_over(&windows, busy),
            is_cpu_time: figure != Figure::Goodput,
        }
    }

    fn measured(&self) -> BTreeMap<Measured, Blocks> {
        let own = Figure::of_kind(FigureKind::OwnLoad);
        let mut measured: BTreeMap<Measured, Blocks> =
            own.map(|figure| ((figure, 0), self.of_blocks(figure))).collect();
        let rates: BTreeSet<u64> = self.at_common_rates().map(|(_, rate)| rate.to_bits()).collect();
        for (figure, rate) in Figure::of_kind(FigureKind::CommonRate)
            .flat_map(|figure| rates.iter().map(move |rate| (figure, *rate)))
        {
            let at_rate = self.of_rate(figure, f64::from_bits(rate));
            if !at_rate.is_empty() {
                measured.insert((figure, rate), at_rate);
            }
        }
        measured
    }
}
