//! Any bytes as the conditions of `--fail-on`, or as the file of `--compare-to`.
#![no_main]

#[path = "../conditions.rs"]
mod conditions;

libfuzzer_sys::fuzz_target!(|data: &[u8]| conditions::conditions(data));
