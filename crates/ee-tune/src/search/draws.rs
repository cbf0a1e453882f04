//! Random numbers of one step of a search.

use std::convert::Infallible;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_core_tpe::TryRng;

/// Draws of one step: the same for the same seed and step, whatever was drawn before. `ChaCha8`
/// with the step as its stream, behind the interface that the optimiser asks for.
pub(super) struct Draws(pub(super) ChaCha8Rng);

impl Draws {
    pub(super) fn of(seed: u64, step: usize) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(step as u64);
        Self(random)
    }
}

impl TryRng for Draws {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(rand::RngCore::next_u32(&mut self.0))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(rand::RngCore::next_u64(&mut self.0))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        rand::RngCore::fill_bytes(&mut self.0, bytes);
        Ok(())
    }
}
