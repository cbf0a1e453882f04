//! The machine a run was made on.

use std::fs;

use serde::{Deserialize, Serialize};

/// A machine, without its name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// For example `linux`.
    pub system: String,
    /// For example `x86_64`.
    pub architecture: String,
    /// What the processor calls itself; empty when it does not say.
    pub processor: String,
    /// Cores granted to this process.
    pub cores: usize,
    /// Memory in bytes, where the system tells.
    pub memory_bytes: Option<u64>,
}

impl Machine {
    /// This machine. The processor's name and the memory are read where Linux has them.
    pub fn here() -> Self {
        Self {
            system: std::env::consts::OS.to_owned(),
            architecture: std::env::consts::ARCH.to_owned(),
            processor: field("/proc/cpuinfo", "model name").unwrap_or_default(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory_bytes: field("/proc/meminfo", "MemTotal").and_then(|text| kibibytes(&text)),
        }
    }
}

/// The first value of a field in a file of `name: value` lines.
fn field(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let mut fields = text.lines().filter_map(|line| line.split_once(':'));
    let (_, value) = fields.find(|(found, _)| found.trim() == name)?;
    Some(value.trim().to_owned())
}

fn kibibytes(text: &str) -> Option<u64> {
    let number = text.strip_suffix("kB")?.trim().parse::<u64>().ok()?;
    number.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::{Machine, kibibytes};

    #[test]
    fn the_machine_tells_its_cores_and_not_its_name() {
        let machine = Machine::here();
        assert!(machine.cores >= 1 && !machine.architecture.is_empty());
        assert_eq!(kibibytes("16 kB"), Some(16_384));
        assert_eq!(kibibytes("16 MB"), None);
    }
}
