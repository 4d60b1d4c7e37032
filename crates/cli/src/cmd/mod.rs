//! One file a verb.

pub(crate) mod archive;
pub(crate) mod build;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod contenders;
pub(crate) mod doctor;
pub(crate) mod dry_run;
pub(crate) mod gate;
pub(crate) mod link;
pub(crate) mod list;
pub(crate) mod load;
pub(crate) mod load_against;
pub(crate) mod man;
pub(crate) mod new;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod serve;
pub(crate) mod serve_files;
pub(crate) mod show;
pub(crate) mod site;
mod strictness;
pub(crate) mod verify;
