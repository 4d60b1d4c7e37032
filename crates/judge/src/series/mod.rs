//! What contenders are compared by, in one shape whatever was measured.

pub(crate) mod measured;
pub(crate) mod shown;
