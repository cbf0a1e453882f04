//! Where a benchmark ran.

use serde_json::{Value, json};

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
