//! Source code by its syntax.

use km_core::UnitKind;

use crate::support::{fixture, parse, tree, try_parse};

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
    rust => "tank.rs",
    python => "pump.py",
    javascript => "pump.js",
    typescript => "pump.ts",
    typescript_with_elements => "panel.tsx",
    go => "pump.go",
    java => "Pump.java",
    c => "pump.c",
    cpp => "pump.cpp",
    python_that_is_broken => "broken.py",
}

#[test]
fn no_letter_of_the_code_is_lost() {
    for file in [
        "tank.rs",
        "limits.rs",
        "pump.py",
        "pump.js",
        "pump.ts",
        "panel.tsx",
        "pump.go",
        "Pump.java",
        "pump.c",
        "pump.cpp",
        "broken.py",
    ] {
        let bytes = fixture(&format!("ok/{file}"));
        let parsed = parse(file, &bytes);
        let letters = |text: &str| -> String { text.split_whitespace().collect() };
        let kept: String = parsed
            .units
            .iter()
            .map(|unit| letters(&unit.content))
            .collect();
        assert_eq!(
            kept,
            letters(std::str::from_utf8(&bytes).unwrap()),
            "{file}"
        );
    }
}

#[test]
fn a_long_item_is_cut_between_lines() {
    let lines: Vec<String> = (0..200).map(|n| format!("    count += {n};")).collect();
    let code = format!("/// Counts.\nfn count() {{\n{}\n}}\n", lines.join("\n"));
    let parsed = try_parse("a.rs", code.as_bytes(), 64).unwrap();
    assert!(parsed.units.len() > 10);
    for unit in &parsed.units {
        assert_eq!(unit.kind, UnitKind::Code);
        let whole = unit
            .content
            .lines()
            .all(|line| code.contains(&format!("{line}\n")));
        assert!(whole, "{}", unit.content);
    }
}
