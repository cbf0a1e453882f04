//! Writes a small store, as a fixture that later versions must open.
//!
//! `cargo run -p ee-store --example make_fixture -- FILE`

use std::path::Path;

use ee_store::conformance::{identity, scope, source};
use ee_store::{
    AuditStore, ConversationId, ConversationStore, KnowledgeStore, Role, SqliteStore, StoreConfig,
};
use km_core::Timestamp;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("usage: make_fixture FILE")?;
    let store = SqliteStore::open(Path::new(&file), StoreConfig::default())?
        .with_clock(std::sync::Arc::new(|| Timestamp::UNIX_EPOCH));
    store.set_fingerprint("fixture model")?;
    store.replace_source(&source(
        "handbook/remote.md",
        &["Remote work needs approval.", "远程办公需要批准。"],
    ))?;
    let owner = identity(None, 0);
    let name = ConversationId::new("fixture");
    store.append(
        &owner,
        &name,
        &[(Role::User, "Hallo", Timestamp::UNIX_EPOCH)],
    )?;
    store.begin_turn(&scope(&owner, 0), Some(&name), "Hallo", &[])?;
    Ok(())
}
