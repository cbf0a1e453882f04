//! What the precision pipeline is fitted to, and where the result goes.

use std::path::{Path, PathBuf};

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
    pub(super) cross_fit: bool,
    /// With --cross-fit: write the settings that all questions together give, as TOML
    #[arg(long, value_name = "FILE", requires = "cross_fit")]
    fit: Option<PathBuf>,
}

/// The sections of a configuration file that hold what was fitted.
#[derive(Serialize)]
pub(super) struct KnowledgeSections {
    precise: Section,
}

/// The same for turns of conversations.
#[derive(Serialize)]
pub(super) struct MemorySections {
    memory: Section,
}

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
        self.write(&KnowledgeSections {
            precise: Section {
                blend: fitted.blend,
                minimum: Some(fitted.minimum),
            },
        })
    }

    pub(super) fn write_memory(&self, fitted: Fitted) -> Result<()> {
        self.write(&MemorySections {
            memory: Section {
                blend: fitted.blend,
                minimum: None,
            },
        })
    }

    fn write(&self, sections: &impl Serialize) -> Result<()> {
        let Some(path) = &self.fit else {
            return Ok(());
        };
        write_toml(path, sections)
    }
}

fn write_toml(path: &Path, sections: &impl Serialize) -> Result<()> {
    let text = toml::to_string_pretty(sections)?;
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
