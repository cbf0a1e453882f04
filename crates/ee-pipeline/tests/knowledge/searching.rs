//! What a search finds, for whom, and on which scale.

use std::sync::Arc;

use ee_embed::LexicalEmbedder;
use ee_pipeline::{
    BoostSet, Cancellation, FusionMethod, KnowledgeBase, PipelineError, SearchConfig,
    SearchRequest, SearchSystem,
};
use km_core::{AccessScope, Governance, Identity, Timestamp};

use crate::support::{DIMENSION, Place, Silent, anybody, found, open_with, search, source};

fn filled(place: &Place, config: SearchConfig) -> KnowledgeBase {
    let base = open_with(
        place.path(),
        Arc::new(LexicalEmbedder::new(DIMENSION)),
        config,
    )
    .expect("a knowledge base");
    let mut sources = [
        source("tokens", "Access tokens expire after fifteen minutes."),
        source("sessions", "Sessions end when the browser is closed."),
        source("canteen", "The canteen opens at eight and serves soup."),
        source("refund", "退款政策适用于所有顾客。"),
        source("holiday", "Jeder Beschäftigte hat dreißig Urlaubstage."),
    ]
    .into_iter();
    base.ingest_sources(&mut sources, &Silent, &Cancellation::default())
        .expect("a report");
    base
}

#[test]
fn every_system_finds_the_right_text_in_every_language() {
    let place = Place::new();
    let base = filled(&place, SearchConfig::default());
    for system in [
        SearchSystem::Bm25,
        SearchSystem::Dense,
        SearchSystem::Hybrid,
    ] {
        assert_eq!(
            found(&base, "when do tokens expire", system)[0],
            "tokens",
            "{system:?}"
        );
        assert_eq!(
            found(&base, "Urlaubstage?", system)[0],
            "holiday",
            "{system:?}"
        );
    }
    assert_eq!(found(&base, "退款政策", SearchSystem::Bm25)[0], "refund");
}

#[test]
fn scores_are_on_the_scale_they_name() {
    let place = Place::new();
    let base = filled(&place, SearchConfig::default());
    let query = "access tokens and soup";
    for hit in search(&base, query, SearchSystem::Bm25).hits {
        assert_eq!((Some(hit.score), hit.cosine), (hit.bm25, None));
    }
    for hit in search(&base, query, SearchSystem::Dense).hits {
        assert_eq!((Some(hit.score), hit.bm25), (hit.cosine, None));
    }
    let hybrid = search(&base, query, SearchSystem::Hybrid).hits;
    assert_eq!(hybrid.len(), 5);
    for hit in hybrid {
        assert!((0.0..=1.0).contains(&hit.score) && (0.0..=1.0).contains(&hit.relevance));
        assert!(
            hit.cosine.is_some(),
            "every candidate of a hybrid search has its cosine"
        );
    }
}

#[test]
fn what_full_text_alone_found_gets_its_exact_cosine() {
    let place = Place::new();
    let narrow = SearchConfig {
        candidates: 1,
        ..SearchConfig::default()
    };
    let base = filled(&place, narrow);
    let query = "soup soup access tokens expire minutes";
    let dense: Vec<(u64, Option<f32>)> = base
        .search(&SearchRequest {
            query: query.to_owned(),
            k: 5,
            system: SearchSystem::Dense,
            scope: anybody(),
        })
        .expect("an answer")
        .hits
        .into_iter()
        .map(|hit| (hit.unit.key, hit.cosine))
        .collect();
    for hit in search(&base, query, SearchSystem::Hybrid).hits {
        assert!(dense.contains(&(hit.unit.key, hit.cosine)));
    }
}

#[test]
fn the_scope_is_applied_before_k_is_counted() {
    let place = Place::new();
    let base = place.base();
    let secret = Governance {
        clearance: 5,
        ..Governance::default()
    };
    let mut sources = (0..300).map(|number| {
        let mut input = source(
            &format!("{number:03}"),
            &format!("Tokens expire, note {number}."),
        );
        if number % 10 != 0 {
            input.governance = secret.clone();
        }
        input
    });
    base.ingest_sources(&mut sources, &Silent, &Cancellation::default())
        .expect("a report");
    let ask = |clearance, system| {
        let identity = Identity {
            clearance,
            ..Identity::default()
        };
        let scope = AccessScope::new(identity, Timestamp::UNIX_EPOCH);
        let request = SearchRequest {
            query: "tokens expire".to_owned(),
            k: 25,
            system,
            scope,
        };
        base.search(&request).expect("an answer").hits
    };
    for system in [
        SearchSystem::Bm25,
        SearchSystem::Dense,
        SearchSystem::Hybrid,
    ] {
        let hits = ask(0, system);
        assert_eq!(hits.len(), 25, "{system:?}");
        assert!(
            hits.iter()
                .all(|hit| hit.unit.unit.governance.clearance == 0),
            "{system:?}"
        );
        assert_eq!(ask(5, system).len(), 25, "{system:?}");
    }
}

#[test]
fn k_beyond_the_collection_gives_everything_that_matches() {
    let place = Place::new();
    let base = filled(&place, SearchConfig::default());
    let request = |k, system| SearchRequest {
        query: "tokens".to_owned(),
        k,
        system,
        scope: anybody(),
    };
    assert_eq!(
        base.search(&request(1000, SearchSystem::Dense))
            .expect("hits")
            .hits
            .len(),
        5
    );
    assert_eq!(
        base.search(&request(1000, SearchSystem::Bm25))
            .expect("hits")
            .hits
            .len(),
        1
    );
    assert!(
        base.search(&request(0, SearchSystem::Hybrid))
            .expect("hits")
            .hits
            .is_empty()
    );
}

#[test]
fn equal_scores_keep_the_order_of_keys() {
    let place = Place::new();
    let base = place.base();
    let mut sources = (0..20).map(|number| source(&format!("{number:02}"), "The very same text."));
    base.ingest_sources(&mut sources, &Silent, &Cancellation::default())
        .expect("a report");
    for system in [
        SearchSystem::Bm25,
        SearchSystem::Dense,
        SearchSystem::Hybrid,
    ] {
        let names = found(&base, "same text", system);
        assert_eq!(
            names,
            (0..10)
                .map(|number| format!("{number:02}"))
                .collect::<Vec<_>>()
        );
    }
}

#[test]
fn a_boost_moves_a_candidate_up_within_bounds() {
    let place = Place::new();
    let config = SearchConfig {
        max_boost: 0.2,
        ..SearchConfig::default()
    };
    let base = filled(&place, config);
    let request = SearchRequest {
        query: "tokens sessions".to_owned(),
        k: 5,
        system: SearchSystem::Hybrid,
        scope: anybody(),
    };
    let plain = base.search(&request).expect("hits").hits;
    let last = plain.last().expect("a hit");
    let boosts = BoostSet::new([(last.unit.key, 7.0), (u64::MAX, 1.0)]);
    let boosted = base.search_boosted(&request, &boosts).expect("hits").hits;
    assert_eq!(boosted.len(), plain.len(), "a boost makes no candidates");
    let moved = boosted
        .iter()
        .find(|hit| hit.unit.key == last.unit.key)
        .expect("still there");
    assert!(
        (moved.score - last.score - 0.2).abs() < 1e-6,
        "{} {}",
        moved.score,
        last.score
    );
    for hit in &boosted {
        assert!((0.0..=1.0).contains(&hit.score));
    }
}

#[test]
fn the_fusion_is_a_setting() {
    let place = Place::new();
    let base = filled(
        &place,
        SearchConfig {
            fusion: FusionMethod::ReciprocalRank,
            ..SearchConfig::default()
        },
    );
    let hits = search(&base, "when do access tokens expire", SearchSystem::Hybrid).hits;
    assert_eq!(hits[0].unit.unit.source.as_str(), "tokens");
    assert!((hits[0].score - 1.0).abs() < 1e-6, "first on both sides");
}

#[test]
fn settings_out_of_range_are_refused_by_name() {
    let place = Place::new();
    let wrong = [
        (
            SearchConfig {
                candidates: 0,
                ..SearchConfig::default()
            },
            "search.candidates",
        ),
        (
            SearchConfig {
                dense_weight: 1.5,
                ..SearchConfig::default()
            },
            "search.dense_weight",
        ),
        (
            SearchConfig {
                dense_weight: f64::NAN,
                ..SearchConfig::default()
            },
            "search.dense_weight",
        ),
        (
            SearchConfig {
                rank_constant: 0.0,
                ..SearchConfig::default()
            },
            "search.rank_constant",
        ),
        (
            SearchConfig {
                max_boost: -0.1,
                ..SearchConfig::default()
            },
            "search.max_boost",
        ),
    ];
    for (config, named) in wrong {
        let error = open_with(place.path(), Arc::new(LexicalEmbedder::new(8)), config)
            .expect_err("out of range");
        match error {
            PipelineError::Setting { setting, .. } => assert_eq!(setting, named),
            other => panic!("{other}"),
        }
    }
}

#[test]
fn times_tell_embedding_from_the_rest() {
    let place = Place::new();
    let base = filled(&place, SearchConfig::default());
    let hybrid = search(&base, "tokens", SearchSystem::Hybrid);
    assert!(hybrid.embed_milliseconds > 0.0 && hybrid.search_milliseconds > 0.0);
    let text = search(&base, "tokens", SearchSystem::Bm25);
    assert!(text.embed_milliseconds < hybrid.embed_milliseconds.max(0.05));
}
