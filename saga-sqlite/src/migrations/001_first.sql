-- The first schema. Written once; later changes are further files. All instants are microseconds since 1970, UTC.

CREATE TABLE saga_runs (
    run             TEXT    NOT NULL PRIMARY KEY,
    key             TEXT    NOT NULL UNIQUE,
    saga            TEXT    NOT NULL,
    version         INTEGER NOT NULL,
    fingerprint     TEXT    NOT NULL,
    input_digest    TEXT    NOT NULL,
    state           TEXT    NOT NULL,
    step            TEXT,
    why             TEXT,
    error           TEXT,
    past_pivot      INTEGER NOT NULL DEFAULT 0,
    cancel          INTEGER,
    length          INTEGER NOT NULL DEFAULT 0,
    inbox_last      INTEGER NOT NULL DEFAULT 0,
    fence           INTEGER NOT NULL DEFAULT 0,
    worker          TEXT,
    due             INTEGER,
    claims          INTEGER NOT NULL DEFAULT 0,
    quarantined     TEXT,
    quarantined_as  TEXT,
    created         INTEGER NOT NULL,
    updated         INTEGER NOT NULL,
    -- 1 when the run is over. Comparisons, not IN: a list in the condition of an index is built anew on every write.
    ended           INTEGER NOT NULL GENERATED ALWAYS AS (
        state = 'completed' OR state = 'refused' OR state = 'cancelled' OR state = 'abandoned'
    ) VIRTUAL,
    -- 0 where the library could not read the row: a state it does not know, an instant that is none, and the like.
    readable        INTEGER NOT NULL GENERATED ALWAYS AS (
        length(run) = 36
        AND run NOT GLOB '*[^0-9a-f-]*'
        AND run GLOB '????????-????-????-????-????????????'
        AND length(replace(run, '-', '')) = 32
        AND version BETWEEN 0 AND 4294967295
        AND length(fingerprint) = 16 AND fingerprint NOT GLOB '*[^0-9a-f]*'
        AND (state = 'running' OR state = 'waiting' OR state = 'unwinding' OR state = 'review'
             OR state = 'completed' OR state = 'refused' OR state = 'cancelled' OR state = 'abandoned')
        AND coalesce(cancel, 0) BETWEEN 0 AND 4611686018427387903
        AND length BETWEEN 0 AND 4611686018427387903
        AND inbox_last BETWEEN 0 AND 4611686018427387903
        AND fence BETWEEN 0 AND 4611686018427387903
        AND claims BETWEEN 0 AND 4294967295
        AND coalesce(due, 0) BETWEEN 0 AND 253402300799999999
        AND created BETWEEN 0 AND 253402300799999999
        AND updated BETWEEN 0 AND 253402300799999999
    ) VIRTUAL
) STRICT;

-- Claims: only rows that can become due. Ended runs have no due time, so history is not in here.
CREATE INDEX saga_runs_runnable ON saga_runs (saga, version, fingerprint, due, run) WHERE due IS NOT NULL;
-- Renewals.
CREATE INDEX saga_runs_leased ON saga_runs (worker) WHERE worker IS NOT NULL;
-- Open runs of a definition; also those in a state that is not known.
CREATE INDEX saga_runs_open ON saga_runs (saga, version, fingerprint, state) WHERE ended = 0;
CREATE INDEX saga_runs_ended ON saga_runs (state) WHERE ended = 1;
CREATE INDEX saga_runs_created ON saga_runs (created, run);
CREATE INDEX saga_runs_aside ON saga_runs (run) WHERE quarantined IS NOT NULL;
CREATE INDEX saga_runs_unreadable ON saga_runs (run) WHERE readable = 0;

CREATE TABLE saga_journal (
    run      TEXT    NOT NULL REFERENCES saga_runs (run) ON DELETE CASCADE,
    sequence INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    kind     TEXT    NOT NULL,
    call     INTEGER,
    step     TEXT,
    body     BLOB    NOT NULL,
    PRIMARY KEY (run, sequence)
) STRICT, WITHOUT ROWID;

CREATE TABLE saga_inbox (
    run    TEXT    NOT NULL REFERENCES saga_runs (run) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    at     INTEGER NOT NULL,
    kind   TEXT    NOT NULL,
    name   TEXT,
    review INTEGER,
    body   BLOB    NOT NULL,
    by     TEXT    NOT NULL,
    note   TEXT    NOT NULL,
    once   TEXT,
    -- When the run took it up; NULL while it waits.
    taken  INTEGER,
    PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX saga_inbox_once ON saga_inbox (run, once) WHERE once IS NOT NULL;
CREATE INDEX saga_inbox_waiting ON saga_inbox (run, number, kind) WHERE taken IS NULL;

CREATE TABLE saga_reviews (
    run          TEXT    NOT NULL REFERENCES saga_runs (run) ON DELETE CASCADE,
    review       INTEGER NOT NULL,
    saga         TEXT    NOT NULL,
    call         INTEGER,
    step         TEXT,
    reason       TEXT    NOT NULL,
    owner        TEXT    NOT NULL,
    -- JSON: class, code, reference, message.
    last         TEXT    NOT NULL,
    first        TEXT,
    actions      TEXT    NOT NULL,
    opened       INTEGER NOT NULL,
    requested_by TEXT,
    requested_at INTEGER,
    decision     TEXT,
    settled_by   TEXT,
    settled_at   INTEGER,
    PRIMARY KEY (run, review)
) STRICT, WITHOUT ROWID;

CREATE INDEX saga_reviews_opened ON saga_reviews (opened, run, review);
CREATE INDEX saga_reviews_open ON saga_reviews (opened, run, review) WHERE settled_at IS NULL;

CREATE TABLE saga_workers (
    worker TEXT    NOT NULL PRIMARY KEY,
    until  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE saga_worker_definitions (
    worker      TEXT    NOT NULL REFERENCES saga_workers (worker) ON DELETE CASCADE,
    saga        TEXT    NOT NULL,
    version     INTEGER NOT NULL,
    fingerprint TEXT    NOT NULL,
    PRIMARY KEY (worker, saga, version, fingerprint)
) STRICT, WITHOUT ROWID;

-- For people. An instant as text; NULL stays NULL.
CREATE VIEW saga_runs_readable AS
SELECT run, key, saga, version, state, ended, step, why, error, past_pivot, cancel IS NOT NULL AS cancel_requested, length,
       worker, claims, quarantined,
       strftime('%Y-%m-%dT%H:%M:%S', due / 1000000, 'unixepoch') || printf('.%06dZ', due % 1000000) AS due,
       strftime('%Y-%m-%dT%H:%M:%S', created / 1000000, 'unixepoch') || printf('.%06dZ', created % 1000000) AS created,
       strftime('%Y-%m-%dT%H:%M:%S', updated / 1000000, 'unixepoch') || printf('.%06dZ', updated % 1000000) AS updated
FROM saga_runs;

CREATE VIEW saga_journal_readable AS
SELECT run, sequence,
       strftime('%Y-%m-%dT%H:%M:%S', at / 1000000, 'unixepoch') || printf('.%06dZ', at % 1000000) AS at,
       kind, call, step, CAST(body AS TEXT) AS body
FROM saga_journal;

CREATE VIEW saga_inbox_readable AS
SELECT run, number,
       strftime('%Y-%m-%dT%H:%M:%S', at / 1000000, 'unixepoch') || printf('.%06dZ', at % 1000000) AS at,
       kind, name, review, by, note, CAST(body AS TEXT) AS body,
       strftime('%Y-%m-%dT%H:%M:%S', taken / 1000000, 'unixepoch') || printf('.%06dZ', taken % 1000000) AS taken
FROM saga_inbox;

CREATE VIEW saga_reviews_readable AS
SELECT run, review, saga, call, step, reason, owner,
       CASE WHEN json_valid(last) THEN json_extract(last, '$.message') ELSE last END AS last,
       CASE WHEN json_valid(last) THEN json_extract(last, '$.reference') END AS reference,
       CASE WHEN json_valid(first) THEN json_extract(first, '$.message') ELSE first END AS first,
       actions,
       strftime('%Y-%m-%dT%H:%M:%S', opened / 1000000, 'unixepoch') || printf('.%06dZ', opened % 1000000) AS opened,
       requested_by,
       strftime('%Y-%m-%dT%H:%M:%S', requested_at / 1000000, 'unixepoch') || printf('.%06dZ', requested_at % 1000000) AS requested_at,
       decision, settled_by,
       strftime('%Y-%m-%dT%H:%M:%S', settled_at / 1000000, 'unixepoch') || printf('.%06dZ', settled_at % 1000000) AS settled_at
FROM saga_reviews;

CREATE VIEW saga_workers_readable AS
SELECT w.worker,
       strftime('%Y-%m-%dT%H:%M:%S', w.until / 1000000, 'unixepoch') || printf('.%06dZ', w.until % 1000000) AS until,
       group_concat(d.saga || ' v' || d.version, ', ') AS definitions
FROM saga_workers w LEFT JOIN saga_worker_definitions d ON d.worker = w.worker
GROUP BY w.worker;

-- One row for each step that was ever about to be sent, as its last entries leave it.
CREATE VIEW saga_steps AS
SELECT i.run, i.call, i.step,
       CASE (SELECT e.kind FROM saga_journal e WHERE e.run = i.run AND e.call = i.call
                 AND e.kind IN ('step_intended', 'attempt_started', 'attempt_failed', 'attempt_lost', 'attempt_interrupted',
                                'looked', 'step_done', 'step_failed', 'undone', 'kept')
             ORDER BY e.sequence DESC LIMIT 1)
           WHEN 'step_intended' THEN 'sent'
           WHEN 'attempt_started' THEN 'sent'
           WHEN 'attempt_failed' THEN 'attempt failed'
           WHEN 'attempt_lost' THEN 'unknown'
           WHEN 'attempt_interrupted' THEN 'unknown'
           WHEN 'looked' THEN 'looked up'
           WHEN 'step_done' THEN 'done'
           WHEN 'step_failed' THEN 'not applied'
           WHEN 'undone' THEN 'undone'
           WHEN 'kept' THEN 'kept'
       END AS status,
       1 + (SELECT count(*) FROM saga_journal e WHERE e.run = i.run AND e.call = i.call AND e.kind = 'attempt_started'
                 AND CASE WHEN json_valid(CAST(e.body AS TEXT)) THEN json_extract(CAST(e.body AS TEXT), '$.attempt_started.phase') END = 'forward') AS attempts,
       (SELECT count(*) FROM saga_journal e WHERE e.run = i.run AND e.call = i.call AND e.kind = 'attempt_started'
                 AND CASE WHEN json_valid(CAST(e.body AS TEXT)) THEN json_extract(CAST(e.body AS TEXT), '$.attempt_started.phase') END = 'check') AS checks,
       (SELECT count(*) FROM saga_journal e WHERE e.run = i.run AND e.call = i.call AND e.kind = 'attempt_started'
                 AND CASE WHEN json_valid(CAST(e.body AS TEXT)) THEN json_extract(CAST(e.body AS TEXT), '$.attempt_started.phase') END = 'undo') AS undo_attempts,
       (SELECT CASE WHEN json_valid(CAST(e.body AS TEXT)) THEN json_extract(CAST(e.body AS TEXT), '$.attempt_failed.report.message') END
             FROM saga_journal e WHERE e.run = i.run AND e.call = i.call AND e.kind = 'attempt_failed'
             ORDER BY e.sequence DESC LIMIT 1) AS error,
       (SELECT CASE WHEN json_valid(CAST(e.body AS TEXT)) THEN json_extract(CAST(e.body AS TEXT), '$.attempt_failed.report.reference') END
             FROM saga_journal e WHERE e.run = i.run AND e.call = i.call AND e.kind = 'attempt_failed'
             ORDER BY e.sequence DESC LIMIT 1) AS reference,
       strftime('%Y-%m-%dT%H:%M:%S', i.at / 1000000, 'unixepoch') || printf('.%06dZ', i.at % 1000000) AS intended
FROM saga_journal i
WHERE i.kind = 'step_intended';

-- Undos that need a person: both causes side by side.
CREATE VIEW saga_compensation_failures AS
SELECT run, review, saga, call, step, reason, owner, last AS undo_error, first AS cause, reference, opened, requested_by,
       decision, settled_by, settled_at
FROM saga_reviews_readable
WHERE reason IN ('undo_failed', 'undo_refused');
