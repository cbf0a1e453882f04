//! What a reader sees who is neither a parser nor careful: invisible characters are not there, and
//! a character that looks like another one is that one. Shares no code with the escaping.

/// Characters that steer the direction or the parts of a text and show nothing.
pub(super) fn is_steering(c: char) -> bool {
    let ranges = [
        ('\u{200e}', '\u{200f}'),
        ('\u{202a}', '\u{202e}'),
        ('\u{2066}', '\u{2069}'),
        ('\u{61c}', '\u{61c}'),
        ('\u{feff}', '\u{feff}'),
        ('\u{e0000}', '\u{e007f}'),
    ];
    ranges.iter().any(|(from, to)| (*from..=*to).contains(&c))
}

fn is_unseen(c: char) -> bool {
    let ranges = [
        ('\u{ad}', '\u{ad}'),
        ('\u{300}', '\u{36f}'),
        ('\u{180e}', '\u{180e}'),
        ('\u{200b}', '\u{200d}'),
        ('\u{2060}', '\u{206f}'),
        ('\u{20d0}', '\u{20ff}'),
        ('\u{fe00}', '\u{fe0f}'),
    ];
    is_steering(c) || ranges.iter().any(|(from, to)| (*from..=*to).contains(&c))
}

/// The ASCII character that this one looks like; none where it looks like nothing.
pub(super) fn plain(c: char) -> Option<char> {
    if is_unseen(c) {
        return None;
    }
    for (ascii, alike) in [
        ('<', "＜﹤‹〈⟨❬❮❰ᐸ˂≮"),
        ('>', "＞﹥›〉⟩〉❭❯❱ᐳ˃≯"),
        ('[', "［【〔⟦〚⁅❲﹝"),
        (']', "］】〕⟧〛⁆❳﹞"),
        ('/', "／∕⁄╱⧸"),
        (':', "：∶꞉ː﹕"),
        ('_', "＿"),
        ('a', "АаᎪ"),
        ('c', "Сс"),
        ('d', "ԁ"),
        ('e', "Ее"),
        ('g', "Ԍ"),
        ('i', "Іі"),
        ('o', "Оо"),
        ('r', "Ꭱ"),
        ('t', "тТ"),
        ('x', "Хх"),
        ('d', "Ⅾⅾ"),
    ] {
        if alike.contains(c) {
            return Some(ascii);
        }
    }
    let number = c as u32;
    let letter = |from: u32| char::from(b'a' + u8::try_from((number - from) % 26).unwrap_or(0));
    Some(match number {
        0xff01..=0xff5e => char::from_u32(number - 0xfee0)?,
        0x1d400..=0x1d6a3 => letter(0x1d400),
        0x24b6..=0x24e9 => letter(0x24b6),
        _ => c,
    })
}

/// The text as that reader sees it, in small letters, without white space inside a line.
pub(super) fn seen(text: &str) -> String {
    let shown = text.chars().filter_map(plain);
    let lower = shown.flat_map(char::to_lowercase);
    lower.filter(|c| *c == '\n' || !c.is_whitespace()).collect()
}

/// The tags in a text, as that reader sees them.
pub(super) fn tags(text: &str) -> Vec<String> {
    let tag = |inside: &str| {
        Some(
            inside
                .strip_prefix("rag")?
                .trim_start()
                .strip_prefix(':')?
                .to_owned(),
        )
    };
    inside_brackets(text)
        .iter()
        .filter_map(|inside| tag(inside))
        .collect()
}

/// The citations in a text, as that reader sees them: 8 to 32 hexadecimal digits or `id:n`.
pub(super) fn citations(text: &str) -> Vec<String> {
    let inside = inside_brackets(text).into_iter();
    inside
        .filter(|inside| is_rank(inside) || is_prefix(inside))
        .collect()
}

fn is_rank(inside: &str) -> bool {
    let number = inside
        .strip_prefix("id")
        .and_then(|rest| rest.trim_start().strip_prefix(':'));
    number.is_some_and(|number| {
        let digits = number.trim_start().trim_start_matches(['-', '+']);
        !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())
    })
}

fn is_prefix(inside: &str) -> bool {
    (8..=32).contains(&inside.len()) && inside.chars().all(|c| c.is_ascii_hexdigit())
}

/// What stands between an opening bracket and the next closing one, on one line, as that reader
/// sees it.
fn inside_brackets(text: &str) -> Vec<String> {
    let shown: String = text
        .chars()
        .filter_map(plain)
        .flat_map(char::to_lowercase)
        .collect();
    let opened = shown.match_indices('[').map(|(at, _)| &shown[at + 1..]);
    let inside = opened.filter_map(|rest| {
        let end = rest.find(['[', ']', '\n'])?;
        rest[end..]
            .starts_with(']')
            .then(|| rest[..end].trim().to_owned())
    });
    inside.collect()
}

/// Whether the text names an element of the frame behind an opening angle bracket.
pub(super) fn names_an_element(text: &str) -> bool {
    let seen = seen(text);
    seen.match_indices('<').any(|(at, _)| {
        let name = seen[at + 1..].trim_start_matches('/');
        let name = name.strip_prefix("x:").unwrap_or(name);
        ["verified_context", "document", "omitted"]
            .iter()
            .any(|element| name.starts_with(element))
    })
}

#[test]
fn the_reader_is_taken_in() {
    assert_eq!(
        tags("[R\u{200b}АG∶dead beef] [RAG:\nx] 【ᎡAG:1】"),
        ["dead beef", "1"]
    );
    assert_eq!(
        citations("[dead\u{2060}beef] [id: -1] [cafe] ⟦00000000⟧"),
        ["deadbeef", "id: -1", "00000000"]
    );
    assert!(names_an_element("< ∕ 𝐝осument") && !names_an_element("<em>document</em>"));
}
