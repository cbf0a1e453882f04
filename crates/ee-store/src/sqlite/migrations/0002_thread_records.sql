-- The lines of work of a conversation become records that are replaced one by one: a turn then
-- costs what it changes. Nothing has written the former table.
DROP TABLE thread_states;

CREATE TABLE thread_states (
    conversation INTEGER PRIMARY KEY REFERENCES conversations (key) ON DELETE CASCADE,
    revision     INTEGER NOT NULL,
    format       INTEGER NOT NULL,
    model        TEXT NOT NULL
) STRICT;

-- Opaque to the store; kind is 0 for a message, 1 for a line of work.
CREATE TABLE thread_records (
    conversation INTEGER NOT NULL REFERENCES conversations (key) ON DELETE CASCADE,
    kind         INTEGER NOT NULL,
    id           INTEGER NOT NULL,
    content      TEXT NOT NULL,
    PRIMARY KEY (conversation, kind, id)
) STRICT, WITHOUT ROWID;
