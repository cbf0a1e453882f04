//! Transformations of the plane, ISO 32000-1, 8.3.

/// `x' = a·x + c·y + e`, `y' = b·x + d·y + f`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Matrix {
    pub(super) a: f32,
    pub(super) b: f32,
    pub(super) c: f32,
    pub(super) d: f32,
    pub(super) e: f32,
    pub(super) f: f32,
}

impl Matrix {
    pub(super) const IDENTITY: Self = Self {
        a: 1.0,
        b: 0.0,
        c: 0.0,
        d: 1.0,
        e: 0.0,
        f: 0.0,
    };

    pub(super) fn from_numbers(numbers: &[f32]) -> Option<Self> {
        let at = |index: usize| numbers.get(index).copied();
        let matrix = Self {
            a: at(0)?,
            b: at(1)?,
            c: at(2)?,
            d: at(3)?,
            e: at(4)?,
            f: at(5)?,
        };
        (numbers.len() == 6).then_some(matrix)
    }

    pub(super) fn shift(x: f32, y: f32) -> Self {
        Self {
            e: x,
            f: y,
            ..Self::IDENTITY
        }
    }

    /// First this one, then `next`.
    pub(super) fn then(&self, next: &Self) -> Self {
        Self {
            a: self.a * next.a + self.b * next.c,
            b: self.a * next.b + self.b * next.d,
            c: self.c * next.a + self.d * next.c,
            d: self.c * next.b + self.d * next.d,
            e: self.e * next.a + self.f * next.c + next.e,
            f: self.e * next.b + self.f * next.d + next.f,
        }
    }

    /// How much longer an upright line becomes.
    pub(super) fn vertical_scale(&self) -> f32 {
        self.c.hypot(self.d)
    }

    /// How much longer a level line becomes.
    pub(super) fn horizontal_scale(&self) -> f32 {
        self.a.hypot(self.b)
    }

    /// The origin as a reader sees it who turns the page until the text runs from left to right.
    pub(super) fn upright_origin(&self) -> (f32, f32) {
        if self.a.abs() >= self.b.abs() {
            (self.e * self.a.signum(), self.f * self.a.signum())
        } else {
            (self.f * self.b.signum(), -self.e * self.b.signum())
        }
    }
}
