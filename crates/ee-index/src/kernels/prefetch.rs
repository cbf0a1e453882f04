//! Asking for memory before it is needed.

#![allow(unsafe_code, reason = "a hint about an address, which is never read")]

/// Floats per cache line.
const LINE: usize = 16;

/// Asks the processor to bring a vector near, if it can be asked.
#[inline]
pub(crate) fn prefetch(vector: &[f32]) {
    #[cfg(target_arch = "x86_64")]
    for line in vector.chunks(LINE) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the instruction is part of every x86-64 processor and only a hint; the address
        // is that of live memory.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (vector, LINE);
}
