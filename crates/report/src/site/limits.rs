//! How large a site may be.

/// No more runs than these are on a site.
pub const MOST_RUNS: usize = 500;

/// No more contenders than these have a page; others are in no table and no trend.
pub const MOST_CONTENDERS: usize = 300;

/// No more workloads than these have a page.
pub const MOST_WORKLOADS: usize = 100;
