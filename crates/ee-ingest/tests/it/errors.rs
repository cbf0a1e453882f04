//! Every file of `fixtures/ingest/err` is left out, with its reason.

use crate::support::{fixture, fixtures, try_parse};

#[test]
fn every_damaged_file_is_left_out_with_its_reason() {
    let reasons = fixtures("err").into_iter().map(|name| {
        let skipped = try_parse(&name, &fixture(&format!("err/{name}")), 64);
        let reason = skipped.unwrap_err();
        format!("{name}: {reason}")
    });
    insta::assert_snapshot!(reasons.collect::<Vec<_>>().join("\n"));
}
