//! On whose behalf a command reads: flags over settings.

use anyhow::{Context, Result};
use clap::Args;
use km_core::{AccessScope, Attributes, Identity, Timestamp};

/// Identity flags of every reading command.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Identity")]
pub(crate) struct IdentityFlags {
    /// Read as this tenant
    #[arg(long, value_name = "TENANT")]
    as_tenant: Option<String>,
    /// Read with this clearance
    #[arg(long, value_name = "N")]
    as_clearance: Option<u32>,
    /// Read with this attribute, for example region=APAC; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_attribute)]
    as_attribute: Vec<(String, String)>,
    /// Read as of this moment (RFC 3339); now by default
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    at: Option<Timestamp>,
}

impl IdentityFlags {
    /// The scope: each flag replaces what the settings say about the same thing.
    pub(crate) fn scope(&self, settings: &Identity) -> AccessScope {
        let mut identity = settings.clone();
        if self.as_tenant.is_some() {
            identity.tenant.clone_from(&self.as_tenant);
        }
        if let Some(clearance) = self.as_clearance {
            identity.clearance = clearance;
        }
        if !self.as_attribute.is_empty() {
            identity.attributes = attributes(&self.as_attribute);
        }
        AccessScope::new(identity, self.at.unwrap_or_else(Timestamp::now))
    }
}

/// Collects `name=value` pairs; a repeated name gathers its values.
pub(crate) fn attributes(pairs: &[(String, String)]) -> Attributes {
    let mut gathered = Attributes::new();
    for (name, value) in pairs {
        gathered
            .entry(name.clone())
            .or_default()
            .insert(value.clone());
    }
    gathered
}

/// Parses `name=value`.
pub(crate) fn parse_attribute(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err(format!(
            "expected NAME=VALUE such as region=APAC, got {text:?}"
        )),
    }
}

fn parse_time(text: &str) -> Result<Timestamp> {
    text.parse().with_context(|| {
        format!("expected a time such as 2026-11-30T09:00:00Z (RFC 3339), got {text:?}")
    })
}

#[cfg(test)]
mod tests {
    use km_core::Identity;

    use super::{IdentityFlags, attributes, parse_attribute};

    #[test]
    fn attributes_gather_their_values() {
        let pairs = ["region=APAC", "region=EMEA", "tier=L5"].map(|p| parse_attribute(p).unwrap());
        let gathered = attributes(&pairs);
        assert_eq!(gathered["region"].len(), 2);
        assert!(parse_attribute("region=").is_err());
        assert!(parse_attribute("region").is_err());
    }

    #[test]
    fn flags_replace_settings_one_by_one() {
        let settings = Identity {
            tenant: Some("acme".into()),
            clearance: 2,
            ..Identity::default()
        };
        let flags = IdentityFlags {
            as_clearance: Some(5),
            ..IdentityFlags::default()
        };
        let scope = flags.scope(&settings);
        assert_eq!(scope.identity.tenant.as_deref(), Some("acme"));
        assert_eq!(scope.identity.clearance, 5);
    }
}
