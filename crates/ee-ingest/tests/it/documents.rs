//! The unit tree of every format, and what is told apart in it.

use km_core::{LinkKind, UnitKind};

use crate::support::{fixture, parse, span, tree, try_parse};

macro_rules! trees {
    ($($test:ident => $file:literal),+ $(,)?) => {
        $(#[test]
        fn $test() {
            let parsed = parse($file, fixture(concat!("ok/", $file)));
            insta::assert_snapshot!(tree(&parsed));
        })+
    };
}

trees! {
    english_markdown_keeps_its_structure => "handbook.md",
    german_markdown_keeps_its_structure => "handbuch.md",
    chinese_markdown_keeps_its_structure => "chinese.md",
    plain_text_is_cut_by_paragraphs => "plain.txt",
    unbalanced_tables_keep_every_cell => "unbalanced.md",
    csv_becomes_a_table => "prices.csv",
    tsv_becomes_a_table => "prices.tsv",
    json_lines_become_messages_and_records => "chat.jsonl",
    json_becomes_messages => "chat.json",
    code_is_cut_by_items => "limits.rs",
    code_without_a_grammar_is_cut_by_layout => "deploy.sh",
    nested_json_has_sections => "settings.json",
    tool_calls_stay_in_messages => "tools.json",
    trees_of_messages_follow_the_branch_that_was_shown => "conversations.json",
    sessions_come_in_order_with_their_times => "sessions.json",
    a_chat_log_becomes_messages => "chat.log",
    a_phone_export_becomes_messages => "phone.txt",
    plain_text_has_steps_rules_and_definitions => "steps.txt",
}

#[test]
fn a_heading_sign_in_a_code_fence_is_no_heading() {
    let parsed = parse("a.md", "# One\n\n```sh\n# not a heading\nls\n```\n");
    assert_eq!(parsed.units.len(), 1);
    assert_eq!(parsed.units[0].kind, UnitKind::Code);
    assert_eq!(parsed.units[0].metadata.section_path, ["One"]);
    assert!(parsed.units[0].content.contains("# not a heading"));
}

#[test]
fn a_long_table_repeats_its_header_in_every_piece() {
    let rows: Vec<String> = (0..200)
        .map(|n| format!("| row {n} | value {n} |"))
        .collect();
    let text = format!("| Name | Value |\n|---|---|\n{}\n", rows.join("\n"));
    let parsed = parse("a.md", &text);
    assert!(parsed.units.len() > 5);
    let mut found = Vec::new();
    for unit in &parsed.units {
        assert_eq!(unit.kind, UnitKind::Table);
        let mut lines = unit.content.lines();
        assert_eq!(lines.next(), Some("| Name | Value |"));
        found.extend(lines.map(str::to_owned));
    }
    assert_eq!(found, rows);
}

#[test]
fn a_paragraph_that_repeats_points_at_its_own_place() {
    let text = "Same words.\r\n\r\nOther words.\r\n\r\nSame words.\r\n";
    let parsed = parse(
        "a.md",
        format!("# A\r\n\r\n{text}\r\n# B\r\n\r\nSame words.\r\n"),
    );
    let last = parsed.units.last().unwrap();
    assert_eq!(last.content, "Same words.");
    assert_eq!(
        last.metadata.span.unwrap().start,
        7 + text.len() as u64 + 2 + 7
    );
}

#[test]
fn equal_contents_have_different_ids_that_stay() {
    let text = "# A\n\nSame words.\n\n# B\n\nSame words.\n";
    let (one, two) = (parse("a.md", text), parse("a.md", text));
    assert_ne!(one.units[0].id, one.units[1].id);
    assert_eq!(one, two);
}

#[test]
fn long_text_is_cut_at_sentence_ends_with_overlap() {
    let sentence = |n: usize| format!("Sentence number {n} says one thing about the pump.");
    let text: Vec<String> = (0..60).map(sentence).collect();
    let bytes = text.join(" ");
    let parsed = parse("a.md", &bytes);
    assert!(parsed.units.len() > 3);
    for pair in parsed.units.windows(2) {
        assert!(pair[1].content.starts_with("Sentence number"));
        assert!(pair[0].content.ends_with("pump."));
        let (first, second) = (
            pair[0].metadata.span.unwrap(),
            pair[1].metadata.span.unwrap(),
        );
        assert!(second.start < first.end, "the pieces overlap");
        assert_eq!(span(&pair[0], bytes.as_bytes()), pair[0].content.as_bytes());
    }
}

#[test]
fn chinese_without_spaces_is_cut_at_sentence_ends() {
    let text = "水泵在水箱半满时启动，在水箱空时停止。".repeat(40);
    for name in ["a.md", "a.txt"] {
        let parsed = parse(name, &text);
        assert!(parsed.units.len() > 5, "{name}");
        for unit in &parsed.units {
            assert!(unit.content.ends_with('。'), "{name}: {}", unit.content);
        }
    }
}

#[test]
fn plain_text_pieces_have_at_most_forty_words_and_share_ten() {
    let words: Vec<String> = (0..200).map(|n| format!("word{n}")).collect();
    let parsed = try_parse("a.txt", words.join(" ").as_bytes(), 512).unwrap();
    let pieces: Vec<Vec<&str>> = parsed
        .units
        .iter()
        .map(|u| u.content.split(' ').collect())
        .collect();
    assert!(pieces.iter().all(|piece| piece.len() <= 40));
    for pair in pieces.windows(2) {
        let shared = pair[0].iter().filter(|word| pair[1].contains(word)).count();
        assert_eq!(shared, 10);
    }
}

#[test]
fn a_summary_says_what_a_unit_tells_and_not_how_it_starts() {
    let text = "# Pump\n\nAs was said before, there is this and there is that to look at here. \
        The pump stops by itself after an hour so that the motor of the pump can cool down. \
        Other things are other things, and they are told in other places by other people.\n\n\
        # Tank\n\nOther things stand here, and other people tell of other places.\n";
    let parsed = parse("a.md", text);
    assert!(
        parsed.units[0]
            .summary
            .starts_with("Pump: The pump stops by itself"),
        "{}",
        parsed.units[0].summary
    );
}

#[test]
fn a_definition_links_to_the_units_that_use_its_term() {
    let text = "# Terms\n\nA *per diem* means a fixed sum for each day of a trip.\n\n\
        年假是指员工每年享有的带薪假期。\n\n# Trips\n\nThe Per Diem covers all meals.\n\n\
        # Others\n\nSuper diemers know nothing.\n\n# 规定\n\n申请年假请联系经理。\n";
    let parsed = parse("a.md", text);
    let uses = |at: usize| -> Vec<&str> {
        let links = parsed.units[at]
            .links
            .iter()
            .filter(|link| link.kind == LinkKind::Defines);
        links
            .map(|link| {
                parsed
                    .units
                    .iter()
                    .find(|unit| unit.id == link.target)
                    .unwrap()
            })
            .map(|unit| unit.content.as_str())
            .collect()
    };
    assert_eq!(uses(0), ["The Per Diem covers all meals."]);
    assert_eq!(uses(1), ["申请年假请联系经理。"]);
}
