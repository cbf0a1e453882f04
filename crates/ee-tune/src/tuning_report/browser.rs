//! The page as a browser lays it out.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that meets the unexpected fails"
)]

use std::process::Command;

use serde::Deserialize;

use super::sample::report;
use super::write_html;

/// What a browser found out about the page in a frame.
#[derive(Debug, Deserialize)]
struct Frame {
    width: f64,
    scroll_width: f64,
    background: String,
    text: String,
    smallest_text: f64,
    charts: usize,
    scripts: usize,
}

/// Lays the page out in frames of 400 and 1400 pixels, light and dark, and says what came of it.
const MEASURE: &str = r#"
const channels = colour => colour.match(/\d+/g).slice(0, 3).map(Number);
onload = () => {
  const frames = [...document.querySelectorAll("iframe")].map(frame => {
    const page = frame.contentDocument, view = frame.contentWindow;
    const style = view.getComputedStyle(page.body);
    const sizes = [...page.querySelectorAll("p, td, th, dd, summary, svg text")]
      .filter(one => one.getClientRects().length)
      .map(one => {
        const size = parseFloat(view.getComputedStyle(one).fontSize);
        const picture = one.ownerSVGElement;
        return picture ? size * picture.clientWidth / picture.viewBox.baseVal.width : size;
      });
    return {
      width: frame.clientWidth, scroll_width: page.documentElement.scrollWidth,
      background: style.backgroundColor, text: style.color,
      smallest_text: Math.min(...sizes), charts: page.querySelectorAll("figure svg").length,
      scripts: page.querySelectorAll("script, [onerror]").length,
    };
  });
  document.getElementById("found").textContent = JSON.stringify(frames);
};
"#;

fn frames() -> Vec<Frame> {
    let mut page = Vec::new();
    write_html(&report(60), &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    let quoted = page.replace('&', "&amp;").replace('"', "&quot;");
    let frame = |(width, scheme): (u32, &str)| {
        format!(
            "<iframe style='width:{width}px;height:900px;border:0;color-scheme:{scheme}' srcdoc=\"{quoted}\"></iframe>"
        )
    };
    let wanted = [
        (400, "light"),
        (400, "dark"),
        (1400, "light"),
        (1400, "dark"),
    ]
    .map(frame);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("frames.html");
    let html = format!(
        "<!DOCTYPE html><meta charset='utf-8'>{}<pre id='found'></pre><script>{MEASURE}</script>",
        wanted.concat()
    );
    std::fs::write(&path, html).unwrap();
    let output = Command::new("chromium")
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
        ])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ])
        .arg(format!(
            "--user-data-dir={}",
            folder.path().join("profile").display()
        ))
        .arg("--dump-dom")
        .arg(format!("file://{}", path.display()))
        .output()
        .expect("`cargo xtask test` brings chromium");
    let shown = String::from_utf8(output.stdout).unwrap();
    let (_, found) = shown
        .rsplit_once("<pre id=\"found\">")
        .expect("the frames were measured");
    let (found, _) = found.split_once("</pre>").unwrap();
    serde_json::from_str(found).unwrap()
}

/// Relative luminance of `rgb(r, g, b)` (WCAG 2.2).
fn luminance(colour: &str) -> f64 {
    let digits = colour.split(|sign: char| !sign.is_ascii_digit());
    let channels: Vec<f64> = digits
        .filter_map(|part| part.parse().ok())
        .take(3)
        .collect();
    let linear = channels.iter().map(|channel| {
        let share = channel / 255.0;
        if share <= 0.040_45 {
            share / 12.92
        } else {
            ((share + 0.055) / 1.055).powf(2.4)
        }
    });
    linear
        .zip([0.2126, 0.7152, 0.0722])
        .map(|(value, weight)| value * weight)
        .sum()
}

#[test]
fn the_page_fits_narrow_and_wide_windows_and_is_readable_in_light_and_dark() {
    let frames = frames();
    assert_eq!(frames.len(), 4);
    for (place, frame) in frames.iter().enumerate() {
        assert!(frame.scroll_width <= frame.width, "{frame:?}");
        assert!(frame.smallest_text >= 9.0, "{frame:?}");
        assert!(frame.charts >= 4 && frame.scripts == 0, "{frame:?}");
        let (back, text) = (luminance(&frame.background), luminance(&frame.text));
        let contrast = (back.max(text) + 0.05) / (back.min(text) + 0.05);
        assert!(contrast >= 7.0, "{frame:?}");
        assert_eq!(back < 0.2, place % 2 == 1, "{frame:?}");
    }
}
