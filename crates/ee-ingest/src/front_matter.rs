//! Metadata at the head of a file: title, governance and relations as YAML.

mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use km_core::{Attributes, DomainPath, Governance, SourceId, Timestamp, Validity};
use yaml_rust2::{Yaml, YamlLoader};

use self::values::{
    attributes, expected, field_error, malformed, moment, number, places, scalar, text, texts,
};
use crate::reference::place_of;
use crate::{Relations, SkipReason};

const FIELDS: [&str; 12] = [
    "title",
    "version",
    "tenant",
    "clearance",
    "attributes",
    "domain",
    "authority_tier",
    "effective_from",
    "expires_at",
    "supersedes",
    "applies_to",
    "tier_rule",
];

/// What a file states about itself; absent fields leave what folder and flags say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FrontMatter {
    pub(crate) title: Option<String>,
    version: Option<String>,
    tenant: Option<String>,
    clearance: Option<u32>,
    attributes: Attributes,
    domain: Option<DomainPath>,
    authority_tier: Option<NonZeroU32>,
    effective_from: Option<Timestamp>,
    expires_at: Option<Timestamp>,
    supersedes: BTreeSet<SourceId>,
    applies_to: Attributes,
    /// Places as they are written, by tier.
    tier_rules: BTreeMap<String, String>,
    /// Fields that are not ours.
    pub(crate) unknown: Vec<String>,
}

/// The YAML between `---` lines at the start of the text, and the byte at which the rest starts.
/// What does not look like fields is no front matter but a thematic break.
pub(crate) fn split(text: &str) -> Option<(&str, usize)> {
    let body = text.strip_prefix("---")?;
    let first_line_end = body.find('\n')?;
    if !body.get(..first_line_end)?.trim().is_empty() {
        return None;
    }
    let start = 3 + first_line_end + 1;
    let mut at = start;
    for line in text.get(start..)?.split_inclusive('\n') {
        if matches!(line.trim_end(), "---" | "...") {
            let yaml = text.get(start..at)?;
            return looks_like_fields(yaml).then_some((yaml, at + line.len()));
        }
        at += line.len();
    }
    None
}

fn looks_like_fields(yaml: &str) -> bool {
    let first = yaml
        .lines()
        .find(|line| !line.trim().is_empty() && !line.starts_with('#'));
    match first {
        None => yaml.trim().is_empty(),
        Some(line) => line.split_once(':').is_some_and(|(name, _)| {
            let name = name.trim_matches(['"', '\'']);
            !name.is_empty()
                && name
                    .chars()
                    .all(|c| c.is_alphanumeric() || "_-".contains(c))
        }),
    }
}

impl FrontMatter {
    /// Reads the fields. A field that governs who may see the text and cannot be read makes the
    /// whole source malformed, so that nothing shows that was meant to be kept.
    pub(crate) fn parse(yaml: &str) -> Result<Self, SkipReason> {
        let documents = YamlLoader::load_from_str(yaml)
            .map_err(|error| malformed(format!("not valid YAML: {error}")))?;
        let mut front = Self::default();
        let Some(Yaml::Hash(fields)) = documents.first() else {
            return match documents.first() {
                None | Some(Yaml::Null | Yaml::BadValue) => Ok(front),
                Some(_) => Err(malformed("must be `field: value` lines")),
            };
        };
        for (name, value) in fields {
            let name = scalar(name).unwrap_or_default();
            if !matches!(value, Yaml::Null) {
                front.set(&name, value)?;
            }
        }
        Validity::new(front.effective_from, front.expires_at)
            .map_err(|error| malformed(error.to_string()))?;
        Ok(front)
    }

    fn set(&mut self, name: &str, value: &Yaml) -> Result<(), SkipReason> {
        match name {
            "title" => self.title = Some(text(name, value)?),
            "version" => self.version = Some(text(name, value)?),
            "tenant" => self.tenant = Some(text(name, value)?),
            "clearance" => self.clearance = Some(number(name, value)?),
            "attributes" => self.attributes = attributes(name, value)?,
            "applies_to" => self.applies_to = attributes(name, value)?,
            "tier_rule" => self.tier_rules = places(name, value)?,
            "domain" => {
                let domain = text(name, value)?.parse();
                self.domain = Some(domain.map_err(field_error(name))?);
            }
            "authority_tier" => {
                let tier = NonZeroU32::new(number(name, value)?);
                self.authority_tier =
                    Some(tier.ok_or_else(|| expected(name, "a whole number from 1 on", "0"))?);
            }
            "effective_from" => self.effective_from = Some(moment(name, value)?),
            "expires_at" => self.expires_at = Some(moment(name, value)?),
            "supersedes" => {
                self.supersedes = texts(name, value)?.into_iter().map(SourceId::new).collect();
            }
            _ => return self.unknown(name),
        }
        Ok(())
    }

    /// A field of somebody else's is noted; one that looks like a slip in ours is refused, since
    /// `clearence: 3` must not make a text public.
    fn unknown(&mut self, name: &str) -> Result<(), SkipReason> {
        let folded = name.to_lowercase().replace(['-', ' '], "_");
        if let Some(meant) = FIELDS.iter().find(|field| is_near(&folded, field)) {
            return Err(malformed(format!(
                "unknown field `{name}`: did you mean `{meant}`?"
            )));
        }
        self.unknown.push(name.to_owned());
        Ok(())
    }

    /// Governance of the source: what it states itself, and otherwise what was given.
    pub(crate) fn apply(&self, given: &Governance) -> Result<Governance, SkipReason> {
        let mut governance = given.clone();
        if let Some(tenant) = &self.tenant {
            if given.tenant.as_ref().is_some_and(|owner| owner != tenant) {
                return Err(malformed(format!(
                    "tenant `{tenant}` is named in a source that belongs to another"
                )));
            }
            governance.tenant = Some(tenant.clone());
        }
        governance.clearance = self.clearance.unwrap_or(given.clearance);
        for (name, values) in &self.attributes {
            governance.attributes.insert(name.clone(), values.clone());
        }
        if let Some(domain) = &self.domain {
            governance.domain = Some(domain.clone());
        }
        governance.authority_tier = self.authority_tier.or(given.authority_tier);
        if let Some(version) = &self.version {
            governance.version.clone_from(version);
        }
        governance.validity = Validity::new(
            self.effective_from.or(given.validity.effective_from),
            self.expires_at.or(given.validity.expires_at),
        )
        .map_err(|error| malformed(error.to_string()))?;
        governance
            .supersedes
            .extend(self.supersedes.iter().cloned());
        Ok(governance)
    }

    /// What the source relates to: what was given, refined by what is stated. Places are relative
    /// to `stated_in`; one that is an anchor alone is in `source`.
    pub(crate) fn relate(
        &self,
        given: &Relations,
        stated_in: &SourceId,
        source: &SourceId,
    ) -> Result<Relations, SkipReason> {
        let mut relations = given.clone();
        let applies_to = self.applies_to.clone();
        relations.applies_to.extend(applies_to);
        for (tier, written) in &self.tier_rules {
            let place = place_of(written, stated_in, source).ok_or_else(|| {
                let name = format!("tier_rule.{tier}");
                expected(&name, "a place inside the ingested folder", written)
            })?;
            relations.tier_rules.insert(tier.clone(), place);
        }
        Ok(relations)
    }
}

/// Whether two names differ by one or two letters added, left out, changed or swapped.
fn is_near(found: &str, field: &str) -> bool {
    let allowed = if field.len() < 6 { 1 } else { 2 };
    strsim::osa_distance(found, field) <= allowed
}
