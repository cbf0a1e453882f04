//! The language in which a drafted question is worded.

/// A language that questions can be drafted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    English,
    German,
    Chinese,
}

const GERMAN_WORDS: [&str; 10] = [
    "der", "die", "das", "und", "ist", "nicht", "mit", "ein", "eine", "wird",
];
const ENGLISH_WORDS: [&str; 10] = [
    "the", "and", "is", "not", "with", "a", "of", "to", "in", "are",
];

impl Language {
    /// The language of a text: Chinese where ideographs prevail, German where its small words do,
    /// English otherwise.
    pub(super) fn of(text: &str) -> Self {
        let letters = text.chars().filter(|letter| letter.is_alphabetic()).count();
        let ideographs = text.chars().filter(|letter| is_ideograph(*letter)).count();
        if ideographs * 2 > letters {
            return Self::Chinese;
        }
        let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
        let count = |list: &[&str]| {
            words
                .iter()
                .filter(|word| list.contains(&word.as_str()))
                .count()
        };
        if count(&GERMAN_WORDS) > count(&ENGLISH_WORDS) {
            Self::German
        } else {
            Self::English
        }
    }

    pub(super) fn about_term(self, term: &str) -> String {
        match self {
            Self::English => format!("What is {term}?"),
            Self::German => format!("Was ist {term}?"),
            Self::Chinese => format!("什么是{term}？"),
        }
    }

    pub(super) fn about_cell(self, column: &str, key: &str) -> String {
        match self {
            Self::English => format!("What is the {column} of {key}?"),
            Self::German => format!("Was steht unter {column} bei {key}?"),
            Self::Chinese => format!("{key}的{column}是什么？"),
        }
    }

    pub(super) fn about_heading(self, heading: &str) -> String {
        match self {
            Self::English => format!("What is said about {heading}?"),
            Self::German => format!("Was gilt für {heading}?"),
            Self::Chinese => format!("关于{heading}有什么规定？"),
        }
    }
}

fn is_ideograph(letter: char) -> bool {
    ('\u{3400}'..='\u{9fff}').contains(&letter)
}

#[cfg(test)]
mod tests {
    use super::Language;

    #[test]
    fn languages_are_told_apart() {
        assert_eq!(
            Language::of("Tokens expire after one hour."),
            Language::English
        );
        assert_eq!(
            Language::of("Der Antrag ist mit einer Frist verbunden."),
            Language::German
        );
        assert_eq!(Language::of("苏州办事处的 Wi-Fi 密码"), Language::Chinese);
        assert_eq!(Language::of(""), Language::English);
    }
}
