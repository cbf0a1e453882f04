//! Where a benchmark ran.

use std::time::Duration;

use serde_json::{Value, json};

const PAGE_BYTES: u64 = 4096;

/// Processor, cores, system and how busy the machine was, for a report.
pub fn describe() -> Value {
    json!({
        "processor": processor(),
        "cores": std::thread::available_parallelism().map_or(1, usize::from),
        "system": format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        "load_before": load(),
    })
}

/// The processor's name where the system tells it.
fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// Runnable processes on average over the last minute, where the system tells it. Above 0 at the
/// start, other work shares the cores.
fn load() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

/// Time that this thread has run on a processor, where the system tells it. Unlike the clock's it
/// does not grow while other work has the core.
pub fn processor_time() -> Option<Duration> {
    #[cfg(unix)]
    {
        time_of(rustix::time::ClockId::ThreadCPUTime)
    }
    #[cfg(not(unix))]
    None
}

/// The same for all threads of this process together.
pub fn process_time() -> Option<Duration> {
    #[cfg(unix)]
    {
        time_of(rustix::time::ClockId::ProcessCPUTime)
    }
    #[cfg(not(unix))]
    None
}

#[cfg(unix)]
fn time_of(clock: rustix::time::ClockId) -> Option<Duration> {
    let time = rustix::time::clock_gettime(clock);
    Some(Duration::new(
        time.tv_sec.try_into().ok()?,
        time.tv_nsec.try_into().ok()?,
    ))
}

/// Memory that this process has in use, from Linux's `/proc/self/statm`.
pub fn resident_bytes() -> Option<u64> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    let resident: u64 = pages.split(' ').nth(1)?.parse().ok()?;
    resident.checked_mul(PAGE_BYTES)
}
