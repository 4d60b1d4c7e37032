//! The requests in flight on a connection, by their ids: answers may come in any order.

use crate::mix::Drawn;
use crate::protocol::RequestId;
use crate::recorder::FailedRequest;

/// A request on its way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct InFlight {
    pub(crate) drawn: Drawn,
    /// The target's plan that it was drawn from.
    pub(crate) plan: u32,
    /// The request was sent in an earlier window.
    pub(crate) carried: bool,
    pub(crate) intended_ns: u64,
    pub(crate) sent_ns: u64,
    /// When the first byte of its answer came; 0 before it did.
    pub(crate) first_byte_ns: u64,
}

impl InFlight {
    /// Its place in the counts of a plan; `None` for a request of another, taken over from an earlier window.
    #[inline]
    pub(crate) fn name_in(&self, plan: usize) -> Option<usize> {
        (self.plan as usize == plan).then_some(usize::from(self.drawn.request))
    }

    /// The same request, when it has failed.
    pub(crate) fn failed(&self, request: Option<usize>, done_ns: u64, status: Option<u16>) -> FailedRequest {
        let (intended_ns, sent_ns) = (self.intended_ns, self.sent_ns);
        FailedRequest { request, intended_ns, sent_ns, done_ns, status }
    }
}

/// Requests in flight in a ring of places, a power of two of them: the low bits of its id say where a request is.
#[derive(Debug, Default)]
pub(crate) struct InFlightTable {
    places: Vec<Place>,
    count: usize,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    id: RequestId,
    request: Option<InFlight>,
}

impl InFlightTable {
    /// A request is in flight; no other with its id is.
    #[inline(always)]
    pub(crate) fn insert(&mut self, id: RequestId, request: InFlight) {
        self.count += 1;
        let at = self.at(id);
        let place = match self.places.get_mut(at) {
            Some(place) if place.request.is_none() => place,
            _ => self.grow(id),
        };
        *place = Place { id, request: Some(request) };
    }

    /// More places, twice as many until no two requests share one: the free one for this id.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, id: RequestId) -> &mut Place {
        let free = Place { id, request: None };
        let taken: Vec<Place> = self.places.drain(..).filter(|place| place.request.is_some()).collect();
        let mut length = (taken.len() + 1).next_power_of_two();
        loop {
            self.places.clear();
            self.places.resize(length, free);
            for place in &taken {
                let at = self.at(place.id);
                self.places[at] = *place;
            }
            let at = self.at(id);
            let placed = self.places.iter().filter(|place| place.request.is_some()).count();
            if placed == taken.len() && self.places[at].request.is_none() {
                return &mut self.places[at];
            }
            length *= 2;
        }
    }

    #[inline]
    fn at(&self, id: RequestId) -> usize {
        id.0 as usize & self.places.len().wrapping_sub(1)
    }

    #[inline]
    fn place(&mut self, id: RequestId) -> Option<&mut Place> {
        let at = self.at(id);
        self.places.get_mut(at).filter(|place| place.id == id)
    }

    #[inline]
    pub(crate) fn get(&self, id: RequestId) -> Option<&InFlight> {
        self.places.get(self.at(id)).filter(|place| place.id == id)?.request.as_ref()
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: RequestId) -> Option<&mut InFlight> {
        self.place(id)?.request.as_mut()
    }

    /// A request is not in flight any more: what it was is read where it lies. `read` is told as well whether it was the last.
    // Here and below: left to itself the compiler calls what is small, which costs more than it does.
    #[inline(always)]
    pub(crate) fn end<T>(&mut self, id: RequestId, read: impl FnOnce(&InFlight, bool) -> T) -> Option<T> {
        let is_last = self.count == 1;
        let place = self.place(id)?;
        let read = read(place.request.as_ref()?, is_last);
        place.request = None;
        self.count -= 1;
        Some(read)
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// All of them, in no order.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut InFlight> {
        self.places.iter_mut().filter_map(|place| place.request.as_mut())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn request(sent_ns: u64) -> InFlight {
        InFlight {
            drawn: Drawn::default(),
            plan: 0,
            carried: false,
            intended_ns: 0,
            sent_ns,
            first_byte_ns: 0,
        }
    }

    fn sent_ns(table: &mut InFlightTable) -> Vec<u64> {
        let mut sent: Vec<_> = table.iter_mut().map(|request| request.sent_ns).collect();
        sent.sort_unstable();
        sent
    }

    #[test]
    fn requests_end_in_any_order() {
        let mut table = InFlightTable::default();
        (0..4).for_each(|id| table.insert(RequestId(id), request(u64::from(id))));
        for id in [2, 0, 3] {
            let ended = table.end(RequestId(id), |request, is_last| (request.sent_ns, is_last));
            assert_eq!(ended, Some((u64::from(id), false)));
            assert!(table.end(RequestId(id), |_, _| ()).is_none() && table.get(RequestId(id)).is_none());
        }
        assert_eq!((table.len(), table.get(RequestId(1)).map(|request| request.sent_ns)), (1, Some(1)));
        assert_eq!(table.end(RequestId(1), |_, is_last| is_last), Some(true));
        assert!(table.is_empty());
    }

    #[test]
    fn ids_that_count_up_use_no_place_more_than_are_in_flight_and_begin_anew_after_the_last() {
        let mut table = InFlightTable::default();
        let first = u32::MAX - 20;
        for number in 0..100 {
            table.insert(RequestId(first.wrapping_add(number)), request(u64::from(number)));
            if number >= 3 {
                let oldest = RequestId(first.wrapping_add(number - 3));
                assert_eq!(table.end(oldest, |request, _| request.sent_ns), Some(u64::from(number - 3)));
            }
        }
        assert_eq!((table.places.len(), sent_ns(&mut table)), (4, vec![97, 98, 99]));
    }

    #[test]
    fn ids_that_would_share_a_place_get_one_each() {
        let mut table = InFlightTable::default();
        for (number, id) in [0, 8, 16, 3].into_iter().enumerate() {
            table.insert(RequestId(id), request(number as u64));
        }
        assert_eq!(sent_ns(&mut table), [0, 1, 2, 3]);
        assert!(table.get(RequestId(24)).is_none(), "an id that shares a place and is not in flight");
        assert_eq!(table.end(RequestId(16), |request, _| request.sent_ns), Some(2));
        assert_eq!(sent_ns(&mut table), [0, 1, 3]);
    }

    proptest! {
        /// The oracle keeps them in a map.
        #[test]
        fn whatever_begins_and_ends_is_found_by_its_id(steps in proptest::collection::vec((0u32..40, any::<bool>()), 0..200)) {
            let (mut table, mut map) = (InFlightTable::default(), BTreeMap::new());
            for (number, (id, begins)) in (0..).zip(steps) {
                let known = map.get(&id).copied();
                prop_assert_eq!(table.get(RequestId(id)).map(|request| request.sent_ns), known);
                if begins && known.is_none() {
                    table.insert(RequestId(id), request(number));
                    map.insert(id, number);
                } else if !begins {
                    let is_last = map.len() == 1;
                    let ended = table.end(RequestId(id), |request, is_last| (request.sent_ns, is_last));
                    prop_assert_eq!(ended, known.map(|sent_ns| (sent_ns, is_last)));
                    map.remove(&id);
                }
                prop_assert_eq!(table.len(), map.len());
                prop_assert_eq!(sent_ns(&mut table).len(), map.len());
            }
        }
    }
}
