//! From TOML or flags to requests: wire types first, then checks, so that what comes out is valid.

mod check;
mod context;
mod expect;
mod file;
mod origin;
mod reader;
mod wire;

/// A text that came from a flag: it has no place.
pub fn typed<T>(text: T) -> toml::Spanned<T> {
    toml::Spanned::new(0..0, text)
}

#[cfg(test)]
mod tests;

pub use file::RequestsFile;
pub use origin::Origin;
pub use reader::{Defaults, Reader};
pub use wire::{
    WireCoin, WireCsv, WireData, WireExpect, WireHeader, WireJson, WireLength, WireMap, WireRequest,
    WireStatus, WireValue,
};
