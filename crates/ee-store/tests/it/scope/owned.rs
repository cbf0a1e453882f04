//! What belongs to somebody: audit, conversations and lines of work.

use ee_store::conformance::vector;
use ee_store::{
    AuditStore, ConversationId, ConversationStore, ElectedUnit, KnowledgeStore, OfferedUnit,
    Outcome, Role, SqliteStore, StoredUnit, ThreadStateStore, ThreadUpdate, TurnId, VisibleUnits,
};
use km_core::{AccessScope, Identity};
use proptest::collection::vec;
use proptest::prelude::*;

use super::{drawn, plain_rule};
use crate::support::temporary;

/// Everything that a caller sees.
fn seen_by(store: &SqliteStore, scope: &AccessScope) -> Vec<StoredUnit> {
    let VisibleUnits::Only(keys) = store.visible(scope).expect("a read") else {
        panic!("no caller sees everything");
    };
    let keys: Vec<u64> = keys.iter().collect();
    store.units(scope, &keys).expect("a read")
}

fn offered(units: &[StoredUnit]) -> Vec<OfferedUnit> {
    let offer = |(rank, stored): (usize, &StoredUnit)| OfferedUnit {
        rank,
        unit: stored.unit.id,
        source: stored.unit.source.clone(),
        summary: stored.unit.summary.clone(),
        relevance: 0.5,
        embedding_sha256: stored.embedding_sha256.clone(),
    };
    (1..).zip(units).map(offer).collect()
}

fn answered(offered: &[OfferedUnit]) -> Outcome {
    let elect = |unit: &OfferedUnit| ElectedUnit {
        rank: unit.rank,
        unit: unit.unit,
        tag: unit.embedding_sha256[..8].to_owned(),
    };
    Outcome::Answered {
        elected: offered.iter().map(elect).collect(),
        refused: Vec::new(),
        unfit: Vec::new(),
        false_citations: Vec::new(),
        calls: 2,
        prompt_tokens: 1,
        completion_tokens: 1,
    }
}

/// One caller's turn: everything that it sees is offered, elected and spoken of.
struct Played {
    turn: TurnId,
    owner: Identity,
    conversation: ConversationId,
    offered: Vec<OfferedUnit>,
}

fn play(store: &SqliteStore, scope: &AccessScope, number: usize) -> Played {
    let conversation = ConversationId::new(format!("talk {number}"));
    let offered = offered(&seen_by(store, scope));
    let turn = store
        .begin_turn(scope, Some(&conversation), "leave?", &offered)
        .expect("a write");
    let said = format!("secret of {number}");
    let history = [(Role::User, "leave?"), (Role::Assistant, said.as_str())];
    store
        .end_turn(scope, turn, &answered(&offered), &history)
        .expect("a write");
    let update = ThreadUpdate {
        revision: 0,
        format: 1,
        model: "",
        start_over: false,
        records: &[],
        decisions: std::slice::from_ref(&said),
        decisions_kept: 9,
    };
    store
        .update_threads(&scope.identity, &conversation, update)
        .expect("a write");
    Played {
        turn,
        owner: scope.identity.clone(),
        conversation,
        offered,
    }
}

/// What `caller` reads of a turn that was played.
fn check(store: &SqliteStore, caller: &AccessScope, played: &Played) -> Result<(), TestCaseError> {
    let (who, name) = (&caller.identity, &played.conversation);
    let may = plain_rule::may_read_of(who, &played.owner);
    let latest = store.latest_turns(caller, usize::MAX).expect("a read");
    prop_assert_eq!(latest.iter().any(|record| record.turn == played.turn), may);
    for unit in &played.offered {
        let tagged = store
            .turns_by_tag(caller, &unit.embedding_sha256[..8])
            .expect("a read");
        prop_assert_eq!(tagged.iter().any(|record| record.turn == played.turn), may);
    }
    let messages = store.messages(who, name, 0, usize::MAX).expect("a read");
    prop_assert_eq!(messages.len(), if may { 2 } else { 0 });
    let listed = store.conversations(who).expect("a read");
    prop_assert_eq!(
        listed.iter().any(|summary| summary.conversation == *name),
        may
    );
    prop_assert_eq!(
        store.thread_state(who, name).expect("a read").revision > 0,
        may
    );
    prop_assert_eq!(
        !store.decisions(who, name, 9).expect("a read").is_empty(),
        may
    );
    if !may {
        let outcome = answered(&[]);
        prop_assert!(store.end_turn(caller, played.turn, &outcome, &[]).is_err());
        prop_assert!(!store.forget(who, name).expect("a write"));
        if who.tenant == played.owner.tenant {
            prop_assert!(
                store
                    .append(who, name, &[(Role::User, "x", caller.at)])
                    .is_err()
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn what_was_shown_is_read_by_nobody_who_might_not_have_seen_it(
        drawn in drawn::sources(),
        scopes in vec(drawn::scope(), 2..6),
    ) {
        let made = temporary();
        let writes = drawn::writes(&drawn, |text| vector(text).to_vec());
        for write in &writes {
            made.store.replace_source(write).expect("a write");
        }
        let numbered = scopes.iter().enumerate();
        let played: Vec<Played> =
            numbered.map(|(number, scope)| play(&made.store, scope, number)).collect();
        let standing = drawn::standing(&writes);
        for caller in &scopes {
            for turn in &played {
                check(&made.store, caller, turn)?;
            }
            for record in made.store.latest_turns(caller, usize::MAX).expect("a read") {
                for offered in record.offered {
                    let units = standing.iter().flat_map(|write| &write.units);
                    let unit = units.map(|write| &write.unit).find(|unit| unit.id == offered.unit);
                    let governance = &unit.expect("a unit that is there").governance;
                    prop_assert!(plain_rule::may_see(governance, &caller.identity));
                }
            }
        }
    }
}
