//! Hybrid search: candidates from both sides under the caller's scope, fused into one ranking.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use ee_index::VectorIndex;
use ee_store::{StoredUnit, UnitKey, VisibleUnits};

use super::fusion::{FusionInput, best_first};
use super::relevance::{Coverage, Neighbourhood, RelevanceFeatures};
use super::{BoostSet, KnowledgeBase, SearchHit, SearchRequest, SearchResponse, SearchSystem};
use crate::PipelineError;
use crate::precise::{self, Origin};

/// Found units with what each side says of them.
pub(crate) type FoundUnits = BTreeMap<UnitKey, FusionInput>;

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
        if request.system == SearchSystem::Precise {
            return self.search_precisely(request, boosts);
        }
        let embedding = self.embed(request)?;
        let embedded = start.elapsed();
        self.catch_up()?;
        let visible = self.parts.store.visible(&request.scope)?;
        let inputs = self.candidates(request, embedding.as_deref(), &visible)?;
        let nearest = self.nearest(&inputs);
        let ranked = self.rank(request, inputs, boosts);
        let mut hits = self.fetch(request, &ranked)?;
        if let Some(vector) = embedding.as_deref() {
            self.estimate_relevance(&request.query, vector, &nearest, &mut hits)?;
        }
        hits.truncate(request.k);
        Ok(response(
            hits,
            embedded,
            start.elapsed().saturating_sub(embedded),
        ))
    }

    /// Everything that full text and dense search find on somebody's behalf, at most `request.k` or
    /// [`crate::SearchConfig::candidates`] units each, before anything is fused: in the order of
    /// their keys, with a score of 0. Costly; the same for all ways of fusing.
    ///
    /// # Errors
    /// [`PipelineError`] when a part fails.
    pub fn unfused(&self, request: &SearchRequest) -> Result<Vec<SearchHit>, PipelineError> {
        let embedding = self.embed(request)?;
        self.catch_up()?;
        let visible = self.parts.store.visible(&request.scope)?;
        let inputs = self.candidates(request, embedding.as_deref(), &visible)?;
        let candidates: Vec<Candidate> = inputs
            .into_iter()
            .map(|scores| Candidate {
                scores,
                ranking: 0.0,
            })
            .collect();
        self.fetch(request, &candidates)
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

    /// Visible units with their scores, by key.
    fn candidates(
        &self,
        request: &SearchRequest,
        embedding: Option<&[f32]>,
        visible: &VisibleUnits,
    ) -> Result<Vec<FusionInput>, PipelineError> {
        let limit = self.search_config.candidates.max(request.k);
        let admit = |key| visible.contains(key);
        let query = (request.system != SearchSystem::Dense).then_some(request.query.as_str());
        let mut found = FoundUnits::new();
        self.find(query, embedding, limit, &admit, &mut found)?;
        Ok(found.into_values().collect())
    }

    /// Adds what full text and dense search find among the admitted units, at most `limit` each.
    /// What one side found alone gets its cosine too.
    pub(crate) fn find(
        &self,
        query: Option<&str>,
        embedding: Option<&[f32]>,
        limit: usize,
        admit: &(dyn Fn(UnitKey) -> bool + Sync),
        found: &mut FoundUnits,
    ) -> Result<(), PipelineError> {
        if let Some(query) = query {
            for hit in self.parts.text.search(query, limit, admit)? {
                entry(found, hit.key).bm25 = Some(hit.bm25);
            }
        }
        if let Some(vector) = embedding {
            let index = self.vectors.index();
            let unscored: Vec<UnitKey> = found.keys().copied().collect();
            for near in index.search(vector, limit, Some(admit))? {
                entry(found, near.key).cosine = Some(near.cosine);
            }
            for (key, cosine) in unscored.iter().zip(index.cosines(vector, &unscored)?) {
                entry(found, *key).cosine = cosine;
            }
        }
        Ok(())
    }

    /// Cosines of units to a vector, in the order of `keys`.
    pub(crate) fn cosines(
        &self,
        vector: &[f32],
        keys: &[UnitKey],
    ) -> Result<Vec<Option<f32>>, PipelineError> {
        Ok(self.vectors.index().cosines(vector, keys)?)
    }

    /// The precision pipeline, its candidates as hits.
    fn search_precisely(
        &self,
        request: &SearchRequest,
        boosts: &BoostSet,
    ) -> Result<SearchResponse, PipelineError> {
        let start = Instant::now();
        let (retrieval, stages) = self.precise.run(self, request, boosts)?;
        let (embedded, context) = (retrieval.embedding_time, retrieval.context);
        let candidates = retrieval.candidates.into_iter();
        let mut hits: Vec<SearchHit> = candidates.map(precise_hit).collect();
        hits.truncate(request.k);
        Ok(SearchResponse {
            stages,
            context,
            frame: retrieval.frame,
            ..response(hits, embedded, start.elapsed().saturating_sub(embedded))
        })
    }

    /// The best candidates on the scale of the system, best first: `k`, or as many as are offered
    /// when leads are measured.
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
            SearchSystem::Hybrid | SearchSystem::Precise => self.fuse(&inputs, boosts),
        };
        let pairs = inputs.into_iter().zip(scores);
        let mut ranked: Vec<Candidate> = pairs
            .map(|(scores, ranking)| Candidate { scores, ranking })
            .collect();
        ranked.sort_by(|a, b| best_first((a.ranking, a.scores.key), (b.ranking, b.scores.key)));
        ranked.truncate(request.k.max(self.search_config.relevance.offered));
        ranked
    }

    /// Fusion scores with boosts, in the order of `inputs`.
    pub(crate) fn fuse(&self, inputs: &[FusionInput], boosts: &BoostSet) -> Vec<f32> {
        let fused = self.search_config.fusion().scores(inputs);
        let boosted = |(input, score): (&FusionInput, f32)| {
            (score + self.search_config.max_boost as f32 * boosts.of(input.key)).min(1.0)
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
                .map(|unit| hit(unit, *candidate))
        });
        Ok(hits.collect())
    }

    /// The units nearest to the query, one more than make its neighbourhood.
    fn nearest(&self, inputs: &[FusionInput]) -> Vec<UnitKey> {
        let scored = inputs
            .iter()
            .filter_map(|input| Some((input.cosine?, input.key)));
        let mut nearest: Vec<(f32, UnitKey)> = scored.collect();
        nearest.sort_by(|a, b| best_first(*a, *b));
        nearest.truncate(self.search_config.relevance.neighbours + 1);
        nearest.into_iter().map(|(_, key)| key).collect()
    }

    fn estimate_relevance(
        &self,
        query: &str,
        vector: &[f32],
        nearest: &[UnitKey],
        hits: &mut [SearchHit],
    ) -> Result<(), PipelineError> {
        let config = &self.search_config.relevance;
        let hits = hits
            .get_mut(..config.depth.min(hits.len()))
            .unwrap_or_default();
        let index = self.vectors.index();
        let around = Neighbourhood::new(vector, nearest, &index);
        let keys: Vec<UnitKey> = hits.iter().map(|hit| hit.unit.key).collect();
        let terms = Coverage::new(&self.parts.text.query_terms(query)?);
        let statistics = &*self.parts.text;
        let covered: Vec<f32> = hits
            .iter()
            .map(|hit| terms.of(&hit.unit.unit, statistics))
            .collect();
        for (place, (hit, vector)) in hits.iter_mut().zip(index.vectors(&keys)).enumerate() {
            let vector = vector.unwrap_or_default();
            hit.relevance = config.estimate(&RelevanceFeatures {
                centred: around.centred_cosine(hit.unit.key, &vector, config.neighbours),
                coverage: covered.get(place).copied().unwrap_or(0.0),
                coverage_lead: lead(&covered, place, config.offered),
                cosine: hit.cosine.unwrap_or(0.0),
            });
        }
        Ok(())
    }
}

/// By how much the unit at `place` covers more than the best other one of those offered; 0 when it
/// is the only one.
fn lead(covered: &[f32], place: usize, offered: usize) -> f32 {
    let others = covered
        .iter()
        .take(offered)
        .enumerate()
        .filter(|(other, _)| *other != place);
    let best = others.map(|(_, share)| *share).reduce(f32::max);
    let own = covered.get(place).copied().unwrap_or(0.0);
    best.map_or(0.0, |best| own - best)
}

fn hit(unit: StoredUnit, candidate: Candidate) -> SearchHit {
    SearchHit {
        unit,
        score: candidate.ranking,
        cosine: candidate.scores.cosine,
        bm25: candidate.scores.bm25,
        evidence: None,
        origin: Origin::Search,
        relevance: 0.0,
    }
}

fn precise_hit(candidate: precise::Candidate) -> SearchHit {
    SearchHit {
        unit: candidate.unit,
        score: candidate.probability,
        cosine: candidate.cosine,
        bm25: candidate.bm25,
        evidence: candidate.evidence,
        origin: candidate.origin,
        relevance: candidate.probability,
    }
}

fn entry(found: &mut FoundUnits, key: UnitKey) -> &mut FusionInput {
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
        stages: Vec::new(),
        context: None,
        frame: None,
    }
}
