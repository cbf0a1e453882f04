//! `eerag show`: a unit whole.

use anyhow::Result;
use clap::Args;
use ee_store::StoredUnit;

use crate::identity::IdentityFlags;
use crate::output::{Ending, print_json, print_line};
use crate::workbench::Workbench;

/// Options of `eerag show`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The unit's id, or a beginning of it that no other unit shares
    #[arg(value_parser = bare_id)]
    unit: String,
    #[command(flatten)]
    identity: IdentityFlags,
}

/// The digits of an id or of its beginning, with or without brackets.
fn bare_id(text: &str) -> Result<String, String> {
    let id = text.trim().trim_matches(['[', ']']).to_lowercase();
    if (1..=32).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(id);
    }
    Err("expected a unit id or the beginning of one (1 to 32 hexadecimal digits)".to_owned())
}

/// Finds the unit and prints it.
pub(crate) fn run(bench: &Workbench, options: &Options) -> Result<Ending> {
    let scope = bench.scope(&options.identity);
    let prefix = &options.unit;
    let found = bench.store()?.unit_by_prefix(&scope, prefix)?;
    match &found {
        Some(stored) if bench.json() => print_json(&stored.unit)?,
        Some(stored) => print_unit(stored)?,
        None if bench.json() => print_json(&serde_json::Value::Null)?,
        None => print_line(format!("no unit {prefix} that this identity may see"))?,
    }
    Ok(Ending::nothing_if(found.is_none()))
}

fn print_unit(stored: &StoredUnit) -> Result<()> {
    let unit = &stored.unit;
    print_line(format!("unit:     {}", unit.id))?;
    print_line(format!("source:   {}", unit.source))?;
    print_line(format!("kind:     {}", unit.kind))?;
    if !unit.metadata.section_path.is_empty() {
        print_line(format!(
            "section:  {}",
            unit.metadata.section_path.join(" > ")
        ))?;
    }
    if let Some(span) = unit.metadata.span {
        print_line(format!("bytes:    {}..{}", span.start, span.end))?;
    }
    if !unit.governance.version.is_empty() {
        print_line(format!("version:  {}", unit.governance.version))?;
    }
    print_line(format!("summary:  {}", unit.summary))?;
    for link in &unit.links {
        print_line(format!("{:<9} {}", format!("{}:", link.kind), link.target))?;
    }
    print_line("")?;
    print_line(&unit.content)
}

#[cfg(test)]
mod tests {
    use super::bare_id;

    #[test]
    fn ids_are_read_with_and_without_brackets() {
        assert_eq!(bare_id("[9DA673CC]").unwrap(), "9da673cc");
        assert!(bare_id("zz").is_err());
        assert!(bare_id("").is_err());
        assert!(bare_id(&"a".repeat(33)).is_err());
    }
}
