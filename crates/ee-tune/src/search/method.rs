//! How a search chooses where to look.

/// A method of search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Everywhere alike.
    Random,
    /// Where good settings were denser than bad ones: tree-structured Parzen estimators (Bergstra,
    /// Bardenet, Bengio and Kégl, `NeurIPS` 2011).
    Tpe,
    /// Many settings on few questions, the better third of them on three times as many (Jamieson
    /// and Talwalkar, AISTATS 2016), proposed by `Tpe` from what few questions showed (Falkner,
    /// Klein and Hutter, ICML 2018).
    Halving,
}

impl Method {
    /// Its name in reports and records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Tpe => "tpe",
            Self::Halving => "halving",
        }
    }
}
