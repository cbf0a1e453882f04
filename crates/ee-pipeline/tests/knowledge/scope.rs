//! Nothing that the plain rule forbids comes out of the engine, on whatever path.
//!
//! Read on somebody's behalf, and checked here for random sources, links, callers and moments:
//!
//! - `KnowledgeBase::search` and `search_boosted`, by full text, by vectors, fused, and through the
//!   precision pipeline with its expansion over links, its frame and its traces; with the links of
//!   what they find;
//! - `Engine::run`: what is offered, what is injected, what the prompts hold, what is in the answer;
//! - `Engine::context` and `Engine::decisions`: earlier messages of a conversation;
//! - `resolve_tag`: what stands behind a tag, and the unit as it is now;
//! - `KnowledgeBase::remove`.
//!
//! Callers ask in turn, twice each, between writes, so that whatever is kept of one (resolved
//! scopes, indexes, conversations in memory) would show with another. The store's own readings are
//! covered by the same rule in `ee-store`.

#![allow(
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking, as tests do"
)]

#[path = "../../../ee-store/tests/it/scope/drawn.rs"]
mod drawn;
#[path = "../../../ee-store/tests/it/scope/plain_rule.rs"]
mod plain_rule;

use std::collections::BTreeSet;
use std::sync::Arc;

use ee_embed::{Embedder, LexicalEmbedder};
use ee_ingest::IngestConfig;
use ee_pipeline::{
    BoostSet, Cancellation, ChatReply, Engine, KnowledgeBase, KnowledgeParts, ScriptedSession,
    SearchConfig, SearchRequest, SearchSystem, TurnConfig, TurnRequest, TurnResult, resolve_tag,
};
use ee_store::{
    ConversationId, KnowledgeStore, SourceWrite, SqliteStore, StoreConfig, TantivyIndex,
};
use km_core::{AccessScope, Administrator, UnitId};
use proptest::collection::vec;
use proptest::prelude::*;
use tempfile::TempDir;

use super::support::DIMENSION;

const SYSTEMS: [SearchSystem; 3] = [
    SearchSystem::Bm25,
    SearchSystem::Dense,
    SearchSystem::Hybrid,
];

/// More than are ever stored.
const PLENTY: usize = 100;

struct Place {
    store: Arc<SqliteStore>,
    base: Arc<KnowledgeBase>,
    engine: Engine,
    _folder: TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("knowledge.db");
        let store = Arc::new(SqliteStore::open(&path, StoreConfig::default()).unwrap());
        let id = store.store_id().unwrap();
        let text = TantivyIndex::open(&store.text_index_folder(), &id).unwrap();
        let parts = KnowledgeParts {
            store: store.clone(),
            text: Arc::new(text),
            embedder: Arc::new(LexicalEmbedder::new(DIMENSION)),
            reranker: None,
            vector_index_file: None,
        };
        let search = SearchConfig::default();
        let base = KnowledgeBase::open(parts, IngestConfig::default(), search).unwrap();
        let base = Arc::new(base);
        let config = TurnConfig {
            top_k: PLENTY,
            max_injected_tokens: 100_000,
            header_share: 0.0,
            ..TurnConfig::default()
        };
        Self {
            engine: Engine::new(base.clone(), store.clone(), config),
            store,
            base,
            _folder: folder,
        }
    }

    fn search(&self, scope: &AccessScope, system: SearchSystem, boosts: &BoostSet) -> Found {
        let request = SearchRequest {
            query: "annual leave".to_owned(),
            k: PLENTY,
            system,
            scope: scope.clone(),
        };
        let hits = self.base.search_boosted(&request, boosts).unwrap().hits;
        let links = hits.iter().flat_map(|hit| &hit.unit.unit.links);
        Found {
            links: links.map(|link| link.target).collect(),
            units: hits.iter().map(|hit| hit.unit.unit.id).collect(),
        }
    }

    /// A boost for every unit there is, whoever may see it.
    fn all_boosted(&self) -> BoostSet {
        let all = self.store.all_units(Administrator::assume(), 0, PLENTY);
        BoostSet::new(all.unwrap().iter().map(|(stored, _)| (stored.key, 1.0)))
    }

    /// A turn in which everything that is offered is elected and recited.
    fn ask(&self, scope: &AccessScope, conversation: Option<&str>) -> (TurnResult, String) {
        let session = ScriptedSession::answering(|request| {
            let evidence = request.evidence.unwrap();
            let texts = evidence.items.iter().map(|item| item.text.clone());
            let ranks = evidence.items.iter().map(|item| item.rank.to_string());
            Ok(ChatReply::text(if evidence.injected {
                texts.collect::<Vec<_>>().join("\n")
            } else {
                format!("RETRIEVE {}", ranks.collect::<Vec<_>>().join(", "))
            }))
        });
        let request = TurnRequest {
            message: "What about annual leave?".to_owned(),
            conversation: conversation.map(ConversationId::new),
            scope: scope.clone(),
        };
        let calm = Cancellation::default();
        let result = self
            .engine
            .run(&request, &session, &mut |_| {}, &calm)
            .unwrap();
        let sent = session
            .requests()
            .into_iter()
            .flat_map(|request| request.messages);
        let sent: Vec<String> = sent.map(|message| message.content).collect();
        (result, sent.join("\n"))
    }
}

struct Found {
    units: BTreeSet<UnitId>,
    links: BTreeSet<UnitId>,
}

fn embed(text: &str) -> Vec<f32> {
    let embeddings = LexicalEmbedder::new(DIMENSION).embed_documents(&[text]);
    embeddings.unwrap().remove(0).vector
}

/// The word that only this unit has.
fn own_word(content: &str) -> &str {
    content.rsplit(' ').next().unwrap()
}

/// Whatever text is shown to a caller or on its behalf, it holds no word of a forbidden unit.
fn keeps_quiet(
    text: &str,
    standing: &[SourceWrite],
    allowed: &BTreeSet<UnitId>,
) -> Result<(), TestCaseError> {
    for write in standing.iter().flat_map(|source| &source.units) {
        let said = text.contains(own_word(&write.unit.content));
        prop_assert!(
            !said || allowed.contains(&write.unit.id),
            "{:?} is told",
            write.unit
        );
    }
    Ok(())
}

fn check_search(
    place: &Place,
    scope: &AccessScope,
    allowed: &BTreeSet<UnitId>,
) -> Result<(), TestCaseError> {
    let all = place.all_boosted();
    for system in SYSTEMS {
        for boosts in [&BoostSet::default(), &all] {
            let found = place.search(scope, system, boosts);
            prop_assert_eq!(&found.units, allowed, "by {}", system.scale());
            prop_assert!(found.links.is_subset(allowed));
        }
    }
    Ok(())
}

/// The precision pipeline may leave out what is visible, and never lets in what is not.
fn check_precise(
    place: &Place,
    standing: &[SourceWrite],
    scope: &AccessScope,
    allowed: &BTreeSet<UnitId>,
) -> Result<(), TestCaseError> {
    let request = SearchRequest {
        query: "annual leave of L5 in APAC".to_owned(),
        k: PLENTY,
        system: SearchSystem::Precise,
        scope: scope.clone(),
    };
    let response = place
        .base
        .search_boosted(&request, &place.all_boosted())
        .unwrap();
    for hit in &response.hits {
        prop_assert!(allowed.contains(&hit.unit.unit.id));
        let mut links = hit.unit.unit.links.iter();
        prop_assert!(links.all(|link| allowed.contains(&link.target)));
    }
    prop_assert!(response.hits.is_empty() || !allowed.is_empty());
    keeps_quiet(&response.frame.unwrap().prompt(""), standing, allowed)?;
    let traces = format!("{:?}", response.stages);
    let shows = |write: &&SourceWrite| {
        write
            .units
            .iter()
            .any(|unit| allowed.contains(&unit.unit.id))
    };
    let shown: BTreeSet<&str> = standing
        .iter()
        .filter(shows)
        .map(|write| write.source.as_str())
        .collect();
    for write in standing {
        let name = write.source.as_str();
        prop_assert!(
            !traces.contains(name) || shown.contains(name),
            "{name} in {traces}"
        );
    }
    Ok(())
}

fn check_turn(
    place: &Place,
    standing: &[SourceWrite],
    scope: &AccessScope,
    allowed: &BTreeSet<UnitId>,
) -> Result<TurnResult, TestCaseError> {
    let (result, sent) = place.ask(scope, None);
    let offered: BTreeSet<UnitId> = result.offered.iter().map(|unit| unit.unit).collect();
    let elected: BTreeSet<UnitId> = result.elected.iter().map(|unit| unit.unit).collect();
    prop_assert_eq!(&offered, allowed);
    prop_assert_eq!(&elected, allowed);
    keeps_quiet(&sent, standing, allowed)?;
    keeps_quiet(&result.answer, standing, allowed)?;
    Ok(result)
}

/// Behind a tag, a caller finds only turns of owners it covers, and only units that exist for it.
fn check_tags(
    place: &Place,
    scope: &AccessScope,
    allowed: &BTreeSet<UnitId>,
    played: &TurnResult,
) -> Result<(), TestCaseError> {
    let find = |id: UnitId| place.store.unit_by_prefix(scope, &id.to_string());
    for unit in &played.elected {
        for audited in resolve_tag(&*place.store, scope, &unit.tag, &find).unwrap() {
            let owner = &audited.turn.owner;
            prop_assert!(plain_rule::may_read_of(&scope.identity, owner));
            let now = audited.now.map(|stored| stored.unit.id);
            let exists = allowed.contains(&audited.offered.unit);
            prop_assert_eq!(now, exists.then_some(audited.offered.unit));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn no_search_and_no_turn_leads_to_a_forbidden_unit(
        drawn in drawn::sources(),
        scopes in vec(drawn::scope(), 1..4),
    ) {
        let place = Place::new();
        let writes = drawn::writes(&drawn, embed);
        let half = writes.len() / 2;
        let mut written = 0;
        for until in [half, writes.len()] {
            for write in &writes[written..until] {
                place.store.replace_source(write).unwrap();
            }
            written = until;
            let standing = drawn::standing(&writes[..until]);
            let mut played = Vec::new();
            for scope in scopes.iter().chain(&scopes) {
                let allowed = plain_rule::visible(&standing, &scope.identity, scope.at);
                check_search(&place, scope, &allowed)?;
                check_precise(&place, &standing, scope, &allowed)?;
                played.push(check_turn(&place, &standing, scope, &allowed)?);
                for turn in &played {
                    check_tags(&place, scope, &allowed, turn)?;
                }
            }
        }
    }

    #[test]
    fn a_conversation_is_told_to_nobody_who_might_not_have_heard_it(
        drawn in drawn::sources(),
        scopes in vec(drawn::scope(), 2..4),
    ) {
        let place = Place::new();
        for write in &drawn::writes(&drawn, embed) {
            place.store.replace_source(write).unwrap();
        }
        let named = |number: usize| format!("talk {number}");
        for (number, scope) in scopes.iter().enumerate() {
            place.ask(scope, Some(&named(number)));
        }
        for caller in &scopes {
            for (number, owner) in scopes.iter().enumerate() {
                let may = plain_rule::may_read_of(&caller.identity, &owner.identity);
                let conversation = ConversationId::new(named(number));
                let request = TurnRequest {
                    message: "What about annual leave?".to_owned(),
                    conversation: Some(conversation.clone()),
                    scope: caller.clone(),
                };
                let heard = place.engine.context(&request).map(|context| context.messages.len());
                prop_assert_eq!(heard.unwrap_or(0) > 0, may);
                let decisions = place.engine.decisions(&caller.identity, &conversation, 9);
                prop_assert!(may || decisions.unwrap().is_empty());
            }
        }
    }

    #[test]
    fn nothing_is_removed_for_somebody_who_may_not_see_it(
        drawn in drawn::sources(),
        scope in drawn::scope(),
    ) {
        let place = Place::new();
        let writes = drawn::writes(&drawn, embed);
        for write in &writes {
            place.store.replace_source(write).unwrap();
        }
        for write in drawn::standing(&writes) {
            let units = place.base.indexed().unwrap().text;
            let namesakes = writes.iter().filter(|other| other.source == write.source);
            let sees = |write: &SourceWrite| plain_rule::may_see(&write.governance, &scope.identity);
            let removed = place.base.remove(&scope, &write.source).unwrap();
            prop_assert!(!removed || namesakes.into_iter().any(sees));
            prop_assert_eq!(place.base.indexed().unwrap().text < units, removed);
        }
    }
}

#[test]
fn an_empty_list_of_values_admits_nobody() {
    let place = Place::new();
    let mut governance = km_core::Governance::default();
    governance
        .attributes
        .insert("region".to_owned(), BTreeSet::new());
    let write = drawn::one("closed.md", governance, embed);
    place.store.replace_source(&write).unwrap();
    for values in [vec![], vec!["APAC"], vec!["", "APAC", "EMEA"]] {
        let values = values.into_iter().map(str::to_owned).collect();
        let identity = km_core::Identity {
            clearance: u32::MAX,
            attributes: [("region".to_owned(), values)].into(),
            ..km_core::Identity::default()
        };
        let scope = AccessScope::new(identity, km_core::Timestamp::UNIX_EPOCH);
        check_search(&place, &scope, &BTreeSet::new()).unwrap();
        check_precise(
            &place,
            std::slice::from_ref(&write),
            &scope,
            &BTreeSet::new(),
        )
        .unwrap();
        check_turn(
            &place,
            std::slice::from_ref(&write),
            &scope,
            &BTreeSet::new(),
        )
        .unwrap();
    }
}
