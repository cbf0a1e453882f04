//! How much an earlier message influences a later one.

use crate::{DcsKey, InfluenceConfig};

/// Influence in 0 to 1: shared line of work, shared domain, and talk that turns into action.
///
/// Escalation is counted when every intent of the earlier message is talk (CHAT, QUERY,
/// CLARIFICATION) and some intent of the later one acts (DESIGN, FIX, IMPLEMENTATION,
/// INSTRUCTION).
pub fn influence(earlier: &DcsKey, later: &DcsKey, config: &InfluenceConfig) -> f64 {
    let mut sum = 0.0;
    if !earlier.dcns.is_disjoint(&later.dcns) {
        sum += config.shared_dcn;
    }
    if !earlier.domains.is_disjoint(&later.domains) {
        sum += config.shared_domain;
    }
    if escalates(earlier, later) {
        sum += config.escalation;
    }
    sum.min(1.0)
}

fn escalates(earlier: &DcsKey, later: &DcsKey) -> bool {
    !earlier.intents.is_empty()
        && earlier.intents.iter().all(|intent| intent.is_talk())
        && later.intents.iter().any(|intent| intent.is_action())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_up_to_at_most_one() {
        let config = InfluenceConfig::default();
        let between = |earlier: &str, later: &str| {
            influence(&earlier.parse().unwrap(), &later.parse().unwrap(), &config)
        };
        assert!((between("6|1|1", "7|1|1") - 1.0).abs() < 1e-12);
        assert!((between("6|1|", "8|1|") - 0.5).abs() < 1e-12);
        assert!((between("7||3", "7||3") - 0.6).abs() < 1e-12);
        assert!((between("8||", "7||")).abs() < 1e-12);
        assert!((between("1,8||", "7||")).abs() < 1e-12);
    }
}
