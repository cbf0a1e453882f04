//! The table and the picture.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use benches::python::{run, script};
use benches::workspace_root;
use serde_json::{Value, json};

use crate::data::DIMENSION;
use crate::others;

/// An index in one setting.
pub(crate) struct Point {
    pub(crate) index: String,
    pub(crate) setting: f64,
    /// What the setting is; empty if there is none.
    pub(crate) meaning: &'static str,
    /// How many of the queries are asked.
    pub(crate) queries: usize,
    pub(crate) build_seconds: f64,
    /// Beside the vectors.
    pub(crate) bytes: f64,
    pub(crate) recall: f64,
    pub(crate) queries_per_second: f64,
}

/// What was found on one collection.
pub(crate) struct Report {
    pub(crate) name: &'static str,
    pub(crate) vectors: usize,
    pub(crate) points: Vec<Point>,
    pub(crate) changes: Value,
    /// Filters and exchange, where they were measured.
    pub(crate) filtered: Option<(Vec<Value>, Value)>,
    pub(crate) versions: Value,
}

impl Report {
    fn beside(&self, point: &Point) -> f64 {
        point.bytes / (self.vectors * DIMENSION * size_of::<f32>()) as f64
    }

    pub(crate) fn to_json(&self) -> Value {
        let point = |point: &Point| {
            json!({
                "index": point.index,
                "setting": point.setting,
                "meaning": point.meaning,
                "build_seconds": point.build_seconds,
                "bytes_beside": self.beside(point),
                "recall": point.recall,
                "queries_per_second": point.queries_per_second,
            })
        };
        json!({
            "name": self.name,
            "vectors": self.vectors,
            "points": self.points.iter().map(point).collect::<Vec<Value>>(),
            "changes": self.changes,
            "filters": self.filtered.as_ref().map(|(filters, _)| filters),
            "exchange": self.filtered.as_ref().map(|(_, churn)| churn),
            "versions": self.versions,
        })
    }

    pub(crate) fn print(&self) {
        println!(
            "\n{} vectors ({}), one thread, k = {}",
            self.vectors,
            self.name,
            crate::K
        );
        println!(
            "{:<37} {:<18} {:>9} {:>8} {:>10} {:>8}",
            "index", "setting", "recall", "q/s", "build s", "beside"
        );
        for point in &self.points {
            let setting = match point.meaning {
                "" => String::new(),
                meaning => format!("{meaning} {}", point.setting),
            };
            println!(
                "{:<37} {setting:<18} {:>9.4} {:>8.0} {:>10.1} {:>8.3}",
                point.index,
                point.recall,
                point.queries_per_second,
                point.build_seconds,
                self.beside(point)
            );
        }
        println!("changes: {}", self.changes);
        if let Some((filters, churn)) = &self.filtered {
            for filter in filters {
                println!("filter: {filter}");
            }
            println!("exchange: {churn}");
        }
    }
}

/// Draws `docs/benchmarks/peers.svg`.
pub(crate) fn draw(folder: &Path, report: &Value) -> Result<()> {
    let file = folder.join("report.json");
    std::fs::write(&file, report.to_string())?;
    let picture = workspace_root().join("docs/benchmarks/peers.svg");
    run(Command::new(others::python()?)
        .arg(script("peers_picture.py"))
        .args([&file, &picture]))
}
