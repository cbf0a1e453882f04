-- Schema version 1. docs/store-format.md explains every table.

-- Facts about the store as a whole: store_id, fingerprint, dimension, pruned_through.
CREATE TABLE meta (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The sequence number: one row, counted up with every change to a unit or source.
CREATE TABLE clock (
    id       INTEGER PRIMARY KEY CHECK (id = 1),
    sequence INTEGER NOT NULL
) STRICT;

-- Distinct governance records as JSON, shared by sources and units.
CREATE TABLE governance (
    key  INTEGER PRIMARY KEY AUTOINCREMENT,
    json TEXT NOT NULL UNIQUE
) STRICT;

-- tenant is '' for none and '=' followed by the name otherwise.
CREATE TABLE sources (
    key            INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant         TEXT NOT NULL,
    name           TEXT NOT NULL,
    title          TEXT,
    governance     INTEGER NOT NULL REFERENCES governance (key),
    content_sha256 TEXT NOT NULL,
    recipe_sha256  TEXT NOT NULL,
    root           TEXT,
    changed        INTEGER NOT NULL,
    UNIQUE (tenant, name)
) STRICT;
CREATE INDEX sources_by_name ON sources (name);
CREATE INDEX sources_by_change ON sources (changed);
CREATE INDEX sources_by_content ON sources (content_sha256);
CREATE INDEX sources_by_governance ON sources (governance);

-- One embedding per distinct text; the vector as little-endian f32.
CREATE TABLE embeddings (
    key           INTEGER PRIMARY KEY AUTOINCREMENT,
    text_sha256   BLOB NOT NULL UNIQUE CHECK (length(text_sha256) = 32),
    vector_sha256 BLOB NOT NULL CHECK (length(vector_sha256) = 32),
    vector        BLOB NOT NULL
) STRICT;

-- AUTOINCREMENT, so that a key is never given twice.
CREATE TABLE units (
    key        INTEGER PRIMARY KEY AUTOINCREMENT,
    id         BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    source     INTEGER NOT NULL REFERENCES sources (key),
    position   INTEGER NOT NULL,
    governance INTEGER NOT NULL REFERENCES governance (key),
    embedding  INTEGER NOT NULL REFERENCES embeddings (key),
    sequence   INTEGER NOT NULL,
    kind       TEXT NOT NULL,
    summary    TEXT NOT NULL,
    metadata   TEXT NOT NULL,
    content    TEXT NOT NULL
) STRICT;
CREATE INDEX units_by_source ON units (source, governance);
CREATE INDEX units_by_sequence ON units (sequence);
CREATE INDEX units_by_embedding ON units (embedding);
CREATE INDEX units_by_governance ON units (governance);

CREATE TABLE links (
    unit    INTEGER NOT NULL REFERENCES units (key) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    kind    TEXT NOT NULL,
    target  BLOB NOT NULL CHECK (length(target) = 16),
    PRIMARY KEY (unit, ordinal)
) STRICT, WITHOUT ROWID;

-- Units that are gone, for indexes that follow. Additions are read off units.sequence.
CREATE TABLE removals (
    sequence INTEGER PRIMARY KEY,
    unit     INTEGER NOT NULL
) STRICT;

-- owner is an identity as JSON. Times are milliseconds since 1970 (UTC).
CREATE TABLE conversations (
    key    INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    name   TEXT NOT NULL,
    owner  TEXT NOT NULL,
    UNIQUE (tenant, name)
) STRICT;

CREATE TABLE messages (
    conversation INTEGER NOT NULL REFERENCES conversations (key) ON DELETE CASCADE,
    position     INTEGER NOT NULL,
    role         TEXT NOT NULL,
    at           INTEGER NOT NULL,
    text         TEXT NOT NULL,
    PRIMARY KEY (conversation, position)
) STRICT, WITHOUT ROWID;

-- The lines of work of a conversation, opaque to the store.
CREATE TABLE thread_states (
    conversation INTEGER PRIMARY KEY REFERENCES conversations (key) ON DELETE CASCADE,
    revision     INTEGER NOT NULL,
    format       INTEGER NOT NULL,
    state        TEXT NOT NULL
) STRICT;

CREATE TABLE decisions (
    conversation INTEGER NOT NULL REFERENCES conversations (key) ON DELETE CASCADE,
    ordinal      INTEGER NOT NULL,
    decision     TEXT NOT NULL,
    PRIMARY KEY (conversation, ordinal)
) STRICT, WITHOUT ROWID;

-- The audit: phase one fills the upper part, phase two outcome and completed_at.
CREATE TABLE turns (
    key          INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant       TEXT NOT NULL,
    owner        TEXT NOT NULL,
    conversation TEXT,
    question     TEXT NOT NULL,
    at           INTEGER NOT NULL,
    offered      TEXT NOT NULL,
    outcome      TEXT,
    completed_at INTEGER
) STRICT;
CREATE INDEX turns_by_conversation ON turns (tenant, conversation);

-- Which embeddings a turn elected, by full SHA-256 in lower-case hexadecimal.
CREATE TABLE elections (
    vector_sha256 TEXT NOT NULL,
    turn          INTEGER NOT NULL REFERENCES turns (key) ON DELETE CASCADE,
    PRIMARY KEY (vector_sha256, turn)
) STRICT, WITHOUT ROWID;
CREATE INDEX elections_by_turn ON elections (turn);

INSERT INTO clock (id, sequence) VALUES (1, 0);
INSERT INTO meta (name, value) VALUES ('store_id', lower(hex(randomblob(16))));
