//! Behaviour of the pipeline.

mod sessions;
mod turns;
