//! A contender in a workload: everything that the run left about it.

use std::collections::BTreeMap;

use velo_model::{ContenderName, Figure, FigureKind, Workload};
use velo_record::{ContenderRecord, RunFile, Window, WindowKind};

use crate::measure::blocks::Disturbed;
use crate::measure::figures::{Blocks, blocks, of_window};
use crate::measure::launch_logs::{LaunchLogs, fit_by};

/// A contender in a workload.
pub(crate) struct Cell<'a> {
    pub(crate) workload: &'a Workload,
    pub(crate) record: &'a ContenderRecord,
    /// Of every kind but bursts, in the order measured.
    pub(crate) windows: Vec<&'a Window>,
    /// Bursts, in the order measured: they have loads of their own.
    pub(crate) bursts: Vec<&'a Window>,
    /// The counted ones: those of blocks that were not dropped.
    pub(crate) blocks: Vec<&'a Window>,
    /// Those at a stated rate, without those of blocks that were dropped.
    pub(crate) paced: Vec<&'a Window>,
    /// One number a launch, by what they are of; from one fit of all contenders of the workload each.
    logs: BTreeMap<Measured, LaunchLogs>,
}

/// What contenders of a workload were measured by together: a figure, and the bits of a rate for all, or 0 under their own load.
type Measured = (Figure, u64);

/// All cells of a run, by workload and contender.
pub(crate) struct Cells<'a>(BTreeMap<&'a str, BTreeMap<&'a ContenderName, Cell<'a>>>);

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
                let (bursts, windows): (Vec<&Window>, Vec<&Window>) =
                    windows.into_iter().partition(|window| window.kind() == WindowKind::Burst);
                if windows.is_empty()
                    && bursts.is_empty()
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
                let cell = Cell { workload, record, windows, bursts, blocks, paced, logs: BTreeMap::new() };
                cells.entry(&workload.name).or_default().entry(name).or_insert(cell);
            }
        }
        for of_workload in cells.values_mut() {
            let measured: Vec<BTreeMap<Measured, Blocks>> =
                of_workload.values().map(Cell::measured).collect();
            for (cell, logs) in of_workload.values_mut().zip(fit_by(&measured)) {
                cell.logs = logs;
            }
        }
        Self(cells)
    }

    pub(crate) fn get(&self, workload: &str, contender: &ContenderName) -> Option<&Cell<'a>> {
        self.0.get(workload)?.get(contender)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Cell<'a>> {
        self.0.values().flat_map(BTreeMap::values)
    }

    pub(crate) fn of_workload(&self, workload: &str) -> impl Iterator<Item = &Cell<'a>> {
        self.0.get(workload).into_iter().flat_map(BTreeMap::values)
    }
}

impl<'a> Cell<'a> {
    /// What a figure is measured in, by launch and block under the workload's own load.
    pub(crate) fn of_blocks(&self, figure: Figure) -> Blocks {
        blocks(&self.blocks, WindowKind::Block, figure)
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
        at_rate
            .filter_map(|(window, _)| Some(((window.launch, window.block), of_window(figure, window)?)))
            .collect()
    }

    /// The windows at a common rate, with that rate.
    pub(crate) fn at_common_rates(&self) -> impl Iterator<Item = (&'a Window, f64)> {
        self.paced.iter().filter_map(|window| {
            let paced = window.paced()?;
            paced.purpose.is_common().then_some((*window, paced.rate_per_s))
        })
    }

    fn measured(&self) -> BTreeMap<Measured, Blocks> {
        let own = Figure::of_kind(FigureKind::OwnLoad);
        let mut measured: BTreeMap<Measured, Blocks> =
            own.map(|figure| ((figure, 0), self.of_blocks(figure))).collect();
        for (window, rate_per_s) in self.at_common_rates() {
            for figure in Figure::of_kind(FigureKind::CommonRate) {
                if let Some(value) = of_window(figure, window) {
                    let at_rate = measured.entry((figure, rate_per_s.to_bits())).or_default();
                    at_rate.insert((window.launch, window.block), value);
                }
            }
        }
        measured
    }
}
