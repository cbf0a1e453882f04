//! The questions that went worst.

use maud::{Markup, html};

use super::super::WorstQuestion;
use super::number::number;

pub(super) fn section(questions: &[WorstQuestion]) -> Markup {
    html! {
        @if !questions.is_empty() {
            section {
                h2 { "Questions that went worst" }
                p.muted { "What should have come is set in bold among what was offered and elected." }
                @for question in questions { (entry(question)) }
            }
        }
    }
}

fn entry(one: &WorstQuestion) -> Markup {
    html! {
        details {
            summary { span.number.plain { (number(one.score)) } " " (one.question) " " code.muted { (one.id) } }
            dl {
                dt { "expected" } dd { (list(&one.expected, &[])) }
                dt { "offered" } dd { (list(&one.offered, &one.expected)) }
                dt { "elected" } dd { (list(&one.elected, &one.expected)) }
                @if !one.answer.is_empty() { dt { "answer" } dd { (one.answer) } }
            }
        }
    }
}

fn list(ids: &[String], expected: &[String]) -> Markup {
    html! {
        @if ids.is_empty() { span.plain { "nothing" } }
        @for (place, id) in ids.iter().enumerate() {
            @if place > 0 { ", " }
            span.hit[expected.contains(id)] { (id) }
        }
    }
}
