//! A contender in a workload: everything that the run left about it.

use std::collections::BTreeMap;

use velo_record::{ContenderRecord, RunFile, Window, WindowKind};
use velo_spec::{ContenderName, Workload};

use crate::blocks::Disturbed;
use crate::figures::{Blocks, Launches, Quantity, blocks, paired_log_ratios};

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
}

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
                    windows.into_iter().partition(|window| window.kind == WindowKind::Burst);
                if windows.is_empty()
                    && bursts.is_empty()
                    && (!workload.is_for(&record.manifest) || record.manifest.is_task)
                {
                    continue;
                }
                let kept = |kind| -> Vec<&'a Window> {
                    let of_kind = windows.iter().copied().filter(|window| window.kind == kind);
                    of_kind.filter(|window| !disturbed.holds(window.launch, window.block)).collect()
                };
                let (blocks, paced) = (kept(WindowKind::Block), kept(WindowKind::Paced));
                // A name that stands twice in a hostile file keeps its first cell.
                let cell = Cell { workload, record, windows, bursts, blocks, paced };
                cells.entry(&workload.name).or_default().entry(name).or_insert(cell);
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

impl Cell<'_> {
    pub(crate) fn quantity(&self, quantity: Quantity) -> Blocks {
        blocks(&self.blocks, WindowKind::Block, quantity)
    }

    /// Paired log ratios of this cell over another of the same workload, one a launch.
    pub(crate) fn over(&self, other: &Self, quantity: Quantity) -> Launches {
        paired_log_ratios(&self.quantity(quantity), &other.quantity(quantity))
    }
}
