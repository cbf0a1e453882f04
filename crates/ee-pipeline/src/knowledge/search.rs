//! Hybrid search: candidates from both sides under the caller's scope, fused into one ranking.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use ee_index::VectorIndex;
use ee_store::{StoredUnit, UnitKey, VisibleUnits};

use super::fusion::{FusionInput, best_first};
use super::{BoostSet, KnowledgeBase, SearchHit, SearchRequest, SearchResponse, SearchSystem};
use crate::PipelineError;

/// A candidate with its scores.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    scores: FusionInput,
    ranking: f32,
}

impl KnowledgeBase {
    /// Searches on somebody's behalf, after catching up with what other processes committed. A
    /// query without a letter or digit finds nothing.
    ///
    /// # Errors
    /// [`PipelineError`] when a part fails.
    pub fn search(&self, request: &SearchRequest) -> Result<SearchResponse, PipelineError> {
        self.search_boosted(request, &BoostSet::default())
    }

    /// Like [`KnowledgeBase::search`]; the units in `boosts` move up.
    ///
    /// # Errors
    /// [`PipelineError`] when a part fails.
    pub fn search_boosted(
        &self,
        request: &SearchRequest,
        boosts: &BoostSet,
    ) -> Result<SearchResponse, PipelineError> {
        let start = Instant::now();
        if request.k == 0 || !request.query.contains(char::is_alphanumeric) {
            return Ok(response(Vec::new(), Duration::ZERO, start.elapsed()));
        }
        let embedding = self.embed(request)?;
        let embedded = start.elapsed();
        self.catch_up()?;
        let visible = self.parts.store.visible(&request.scope)?;
        let inputs = self.candidates(request, embedding.as_deref(), &visible)?;
        let ranked = self.rank(request, inputs, boosts);
        let hits = self.fetch(request, &ranked)?;
        Ok(response(
            hits,
            embedded,
            start.elapsed().saturating_sub(embedded),
        ))
    }

    /// The query's vector, where the ranking needs one.
    fn embed(&self, request: &SearchRequest) -> Result<Option<Vec<f32>>, PipelineError> {
        if request.system == SearchSystem::Bm25 {
            return Ok(None);
        }
        Ok(Some(
            self.parts.embedder.embed_query(&request.query)?.vector,
        ))
    }

    /// Visible units with their scores, by key. What one side found alone gets its cosine too.
    fn candidates(
        &self,
        request: &SearchRequest,
        embedding: Option<&[f32]>,
        visible: &VisibleUnits,
    ) -> Result<Vec<FusionInput>, PipelineError> {
        let limit = self.search_config.candidates.max(request.k);
        let admit = |key| visible.contains(key);
        let mut found = BTreeMap::new();
        if request.system != SearchSystem::Dense {
            for hit in self.parts.text.search(&request.query, limit, &admit)? {
                entry(&mut found, hit.key).bm25 = Some(hit.bm25);
            }
        }
        if let Some(vector) = embedding {
            let index = self.vectors.index();
            let unscored: Vec<UnitKey> = found.keys().copied().collect();
            for near in index.search(vector, limit, Some(&admit))? {
                entry(&mut found, near.key).cosine = Some(near.cosine);
            }
            for (key, cosine) in unscored.iter().zip(index.cosines(vector, &unscored)?) {
                entry(&mut found, *key).cosine = cosine;
            }
        }
        Ok(found.into_values().collect())
    }

    /// The `k` best candidates on the scale of the system, best first.
    fn rank(
        &self,
        request: &SearchRequest,
        inputs: Vec<FusionInput>,
        boosts: &BoostSet,
    ) -> Vec<Candidate> {
        let scores = match request.system {
            SearchSystem::Bm25 => inputs
                .iter()
                .map(|input| input.bm25.unwrap_or(0.0))
                .collect(),
            SearchSystem::Dense => inputs
                .iter()
                .map(|input| input.cosine.unwrap_or(-1.0))
                .collect(),
            SearchSystem::Hybrid => self.fuse(&inputs, boosts),
        };
        let pairs = inputs.into_iter().zip(scores);
        let mut ranked: Vec<Candidate> = pairs
            .map(|(scores, ranking)| Candidate { scores, ranking })
            .collect();
        ranked.sort_by(|a, b| best_first((a.ranking, a.scores.key), (b.ranking, b.scores.key)));
        ranked.truncate(request.k);
        ranked
    }

    fn fuse(&self, inputs: &[FusionInput], boosts: &BoostSet) -> Vec<f32> {
        let fused = self.search_config.fusion().scores(inputs);
        let boosted = |(input, score): (&FusionInput, f32)| {
            (score + self.search_config.max_boost * boosts.of(input.key)).min(1.0)
        };
        inputs.iter().zip(fused).map(boosted).collect()
    }

    /// The units of the ranking. One that was removed a moment ago is left out.
    fn fetch(
        &self,
        request: &SearchRequest,
        ranked: &[Candidate],
    ) -> Result<Vec<SearchHit>, PipelineError> {
        let keys: Vec<UnitKey> = ranked
            .iter()
            .map(|candidate| candidate.scores.key)
            .collect();
        let units = self.parts.store.units(&request.scope, &keys)?;
        let mut by_key: HashMap<UnitKey, StoredUnit> =
            units.into_iter().map(|unit| (unit.key, unit)).collect();
        let hits = ranked.iter().filter_map(|candidate| {
            by_key
                .remove(&candidate.scores.key)
                .map(|unit| self.hit(unit, *candidate))
        });
        Ok(hits.collect())
    }

    fn hit(&self, unit: StoredUnit, candidate: Candidate) -> SearchHit {
        SearchHit {
            unit,
            score: candidate.ranking,
            cosine: candidate.scores.cosine,
            bm25: candidate.scores.bm25,
            relevance: self
                .search_config
                .relevance
                .estimate(candidate.scores.cosine),
        }
    }
}

fn entry(found: &mut BTreeMap<UnitKey, FusionInput>, key: UnitKey) -> &mut FusionInput {
    found.entry(key).or_insert(FusionInput {
        key,
        cosine: None,
        bm25: None,
    })
}

fn response(hits: Vec<SearchHit>, embed: Duration, rest: Duration) -> SearchResponse {
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    SearchResponse {
        hits,
        embed_milliseconds: milliseconds(embed),
        search_milliseconds: milliseconds(rest),
    }
}
