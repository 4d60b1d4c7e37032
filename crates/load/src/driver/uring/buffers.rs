use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU16, Ordering};

use io_uring::Submitter;
use io_uring::types::BufRingEntry;

/// Memory that the kernel takes for receptions as it needs it, and gets back when it was read.
#[derive(Debug)]
pub(super) struct Buffers {
    entries: NonNull<BufRingEntry>,
    memory: NonNull<u8>,
    tail: u16,
}

const COUNT: u16 = 512;
const BYTES: usize = 8 * 1024;
const PAGE: usize = 4096;

impl Buffers {
    /// Makes a ring of buffers and hands it to the kernel. It must live as long as the kernel's ring.
    pub(super) fn new(submitter: &Submitter<'_>, group: u16) -> io::Result<Self> {
        let mut buffers =
            Self { entries: zeroed(entries_layout()).cast(), memory: zeroed(memory_layout()), tail: 0 };
        for place in 0..COUNT {
            buffers.give_back(place);
        }
        // SAFETY: the address is that of COUNT entries on a page's edge, and the owner drops the ring first.
        unsafe {
            submitter.register_buf_ring_with_flags(buffers.entries.as_ptr() as u64, COUNT, group, 0)?;
        }
        Ok(buffers)
    }

    /// The bytes that a reception left in a buffer.
    pub(super) fn bytes(&self, place: u32, length: u32) -> &[u8] {
        let (place, length) = (place as usize, length as usize);
        assert!(place < usize::from(COUNT) && length <= BYTES, "the kernel names its own buffers");
        // SAFETY: within the memory by the line above; the kernel does not write into it before it is given back.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr().add(place * BYTES), length) }
    }

    /// Lets the kernel use a buffer again.
    pub(super) fn give_back(&mut self, place: u16) {
        let index = usize::from(self.tail & (COUNT - 1));
        // SAFETY: the index is below COUNT, and the kernel reads no entry beyond the tail, which is moved afterwards.
        unsafe {
            let entry = &mut *self.entries.as_ptr().add(index);
            entry.set_addr(self.memory.as_ptr().add(usize::from(place) * BYTES) as u64);
            entry.set_len(BYTES as u32);
            entry.set_bid(place);
        }
        self.tail = self.tail.wrapping_add(1);
        // SAFETY: the tail lies in the first entry, which is there; the kernel reads it at any time, so it is atomic.
        unsafe {
            let tail = BufRingEntry::tail(self.entries.as_ptr());
            AtomicU16::from_ptr(tail.cast_mut()).store(self.tail, Ordering::Release);
        }
    }
}

impl Drop for Buffers {
    fn drop(&mut self) {
        // SAFETY: both were made with these layouts, and the kernel's ring is gone.
        unsafe {
            dealloc(self.entries.as_ptr().cast(), entries_layout());
            dealloc(self.memory.as_ptr(), memory_layout());
        }
    }
}

const fn entries_layout() -> Layout {
    // OK because a page is a power of two and the sizes are small.
    match Layout::from_size_align(COUNT as usize * size_of::<BufRingEntry>(), PAGE) {
        Ok(layout) => layout,
        Err(_) => panic!("a valid layout"),
    }
}

const fn memory_layout() -> Layout {
    match Layout::from_size_align(COUNT as usize * BYTES, PAGE) {
        Ok(layout) => layout,
        Err(_) => panic!("a valid layout"),
    }
}

fn zeroed(layout: Layout) -> NonNull<u8> {
    // SAFETY: the layouts are not empty.
    NonNull::new(unsafe { alloc_zeroed(layout) }).unwrap_or_else(|| handle_alloc_error(layout))
}
