//! From a tag back to the unit.

use ee_pipeline::resolve_tag;
use km_core::SourceId;

use super::engine::electing;
use super::world::{PAGES, World, scope};

#[test]
fn a_tag_leads_to_the_unit_even_after_it_is_gone() {
    let world = World::new(&PAGES);
    let result = world.ask(
        &electing("28 days", "28 days."),
        "How many days of annual leave?",
    );
    let unit = result.elected[0].clone();
    let find = |id: km_core::UnitId| world.store.unit_by_prefix(&scope(), &id.to_string());
    let resolve = |tag: &str| resolve_tag(&*world.store, &scope(), tag, &find);

    let found = resolve(&unit.tag.to_uppercase()).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].offered.unit, found[0].turn.turn),
        (unit.unit, result.turn)
    );
    assert_eq!(found[0].offered.source, SourceId::new("leave.md"));
    assert!(found[0].now.is_some());

    world
        .knowledge
        .remove(&scope(), &SourceId::new("leave.md"))
        .unwrap();
    let found = resolve(&unit.tag).unwrap();
    assert_eq!(found[0].offered.source, SourceId::new("leave.md"));
    assert!(found[0].now.is_none());

    assert!(resolve("0123456789").unwrap().is_empty());
    assert!(resolve("not a tag").is_err());
}
