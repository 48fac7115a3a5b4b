-- The gateway's ledger. Public: an incident is looked into with `sqlite3 gateway.db`.

CREATE TABLE IF NOT EXISTS reservations (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,               -- of the reserve
    submission TEXT NOT NULL,
    revision INTEGER NOT NULL,
    slot INTEGER,                           -- none where it is barred
    -- barred: the release came before the reserve, which is refused for ever
    state TEXT NOT NULL CHECK (state IN ('held', 'consumed', 'released', 'barred')),
    at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    CHECK ((slot IS NULL) = (state = 'barred'))
) STRICT;

-- The database itself keeps two submissions from holding the same slot.
CREATE UNIQUE INDEX IF NOT EXISTS one_holder_per_slot ON reservations (slot) WHERE state = 'held';

CREATE TABLE IF NOT EXISTS publications (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,               -- of the publish
    reservation INTEGER NOT NULL UNIQUE REFERENCES reservations (id),
    submission TEXT NOT NULL,
    revision INTEGER NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
) STRICT;

-- Every request that reached the ledger, whatever came of it. Only ever added to.
CREATE TABLE IF NOT EXISTS effects (
    number INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('reserve', 'publish', 'release')),
    submission TEXT NOT NULL,
    revision INTEGER NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('applied', 'duplicate', 'refused', 'absent')),
    code TEXT,
    at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
) STRICT;

-- What each key was answered, written in the same transaction as the effect.
CREATE TABLE IF NOT EXISTS replies (
    key TEXT PRIMARY KEY,
    operation TEXT NOT NULL,
    request TEXT,                           -- none where the request has not arrived, and is barred
    status INTEGER NOT NULL,
    reply TEXT NOT NULL
) STRICT;
