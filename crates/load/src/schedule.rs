/// When a request is due. Pure: the caller has the clock.
///
/// A closed loop is a schedule like any other: the next request is due as soon as its connection is free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schedule {
    /// As soon as the connection is free.
    ClosedLoop,
}

impl Schedule {
    /// The intended start, in nanoseconds of the caller's clock, of the next request on a connection that is
    /// free since `free_ns`.
    pub fn intended_start_ns(&mut self, free_ns: u64) -> u64 {
        match self {
            Self::ClosedLoop => free_ns,
        }
    }
}
