//! What the precision pipeline is fitted to, and where the result goes.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::Args;
use ee_pipeline::{BlendConfig, MinimumConfig};
use ee_tune::Fitted;
use serde::Serialize;

use crate::commands::search::System;

/// Options of suites that can fit the precision pipeline.
#[derive(Debug, Args)]
pub(super) struct Fitting {
    /// With --system precise: fit the blend and the minimum context on one part and report on
    /// another, in turn (halves of the questions, or each conversation), beside hybrid search
    #[arg(long)]
    cross_fit: bool,
    /// With --cross-fit: write the settings that all questions together give, as TOML
    #[arg(long, value_name = "FILE", requires = "cross_fit")]
    fit: Option<PathBuf>,
}

/// A section of a configuration file that holds what was fitted.
#[derive(Serialize)]
struct Section {
    blend: BlendConfig,
    #[serde(skip_serializing_if = "Option::is_none")]
    minimum: Option<MinimumConfig>,
}

impl Fitting {
    /// Whether to fit; only the precision pipeline can be.
    pub(super) fn wanted(&self, system: System) -> Result<bool> {
        ensure!(
            !self.cross_fit || system == System::Precise,
            "--cross-fit fits the precision pipeline: add --system precise"
        );
        Ok(self.cross_fit)
    }

    pub(super) fn write_knowledge(&self, fitted: Fitted) -> Result<()> {
        self.write("precise", fitted.blend, Some(fitted.minimum))
    }

    pub(super) fn write_memory(&self, fitted: Fitted) -> Result<()> {
        self.write("memory", fitted.blend, None)
    }

    fn write(&self, name: &str, blend: BlendConfig, minimum: Option<MinimumConfig>) -> Result<()> {
        let Some(path) = &self.fit else {
            return Ok(());
        };
        let sections = BTreeMap::from([(name, Section { blend, minimum })]);
        let text = toml::to_string_pretty(&sections)?;
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    }
}
