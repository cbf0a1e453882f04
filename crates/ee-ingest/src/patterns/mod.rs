//! Word patterns that tell rules, definitions and instructions, as data per language.

mod chinese;
mod english;
mod german;
mod matcher;

pub use matcher::defined_term;
pub(crate) use matcher::{
    common_words, has_obligation, is_abbreviation, is_definition, is_instruction, stands_alone,
};

/// What one language says when it obliges, defines or instructs. All in lower case.
struct Language {
    /// Words and phrases that oblige or forbid wherever they stand.
    obligations: &'static [&'static str],
    /// Words that do so at the start of a sentence.
    commands: &'static [&'static str],
    /// What stands between a term and its meaning.
    definition_marks: &'static [&'static str],
    /// Words of headings under which terms are defined.
    glossary_words: &'static [&'static str],
    /// What stands between a term and its meaning under such a heading.
    glossary_marks: &'static [&'static str],
    /// Words at the start of `**Word**: text` that announce no term.
    not_terms: &'static [&'static str],
    /// Words of headings and lead-ins that announce a procedure.
    procedure_words: &'static [&'static str],
    /// First words of instructions.
    instruction_verbs: &'static [&'static str],
    /// How instructions end in a language that puts the verb last.
    infinitive_ending: Option<&'static str>,
    /// What ends in a full stop without ending the sentence.
    abbreviations: &'static [&'static str],
    /// Words that carry no meaning of their own.
    common_words: &'static [&'static str],
    /// Whether words are written without spaces between them.
    unspaced: bool,
}

static LANGUAGES: [&Language; 3] = [&english::ENGLISH, &german::GERMAN, &chinese::CHINESE];

/// Whether the character belongs to a script that is written without spaces between words.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3000}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff65}' | '\u{20000}'..='\u{3ffff}')
}
