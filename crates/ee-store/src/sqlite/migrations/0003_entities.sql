-- What units hold for, from their metadata and their governance.
CREATE TABLE unit_entities (
    attribute TEXT NOT NULL,
    value     TEXT NOT NULL,
    unit      INTEGER NOT NULL REFERENCES units (key) ON DELETE CASCADE,
    PRIMARY KEY (attribute, value, unit)
) STRICT, WITHOUT ROWID;

CREATE INDEX unit_entities_by_unit ON unit_entities (unit);

INSERT OR IGNORE INTO unit_entities (attribute, value, unit)
SELECT a.key, v.value, u.key
FROM units u
JOIN governance g ON g.key = u.governance,
     json_each(g.json, '$.attributes') a,
     json_each(a.value) v;
