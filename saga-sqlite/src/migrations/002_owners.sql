-- Whom to ask about a run that is set aside, since when nobody has a definition, and who has not yet been told.

ALTER TABLE saga_runs ADD COLUMN owner TEXT NOT NULL DEFAULT 'operators';

-- 1 when the worker left by itself: a renewal does not bring it back. `until` is then when it left.
ALTER TABLE saga_workers ADD COLUMN gone INTEGER NOT NULL DEFAULT 0;

-- When the owner is to be told, or told again; NULL when that is done.
ALTER TABLE saga_reviews ADD COLUMN notify_at INTEGER;
-- How often that was tried since the question was opened or went to somebody else.
ALTER TABLE saga_reviews ADD COLUMN notify_tries INTEGER NOT NULL DEFAULT 0;

CREATE INDEX saga_reviews_to_notify ON saga_reviews (notify_at, run, review) WHERE notify_at IS NOT NULL;

UPDATE saga_reviews SET notify_at = opened WHERE settled_at IS NULL;
UPDATE saga_reviews
SET actions = iif(reason = 'crash_loop', '["retry","escalate","abandon"]', '["escalate","abandon"]'),
    requested_by = NULL, requested_at = NULL
WHERE review = 0 AND settled_at IS NULL;

DROP VIEW saga_runs_readable;
CREATE VIEW saga_runs_readable AS
SELECT run, key, saga, version, owner, state, ended, step, why, error, past_pivot, cancel IS NOT NULL AS cancel_requested,
       length, worker, claims, quarantined,
       strftime('%Y-%m-%dT%H:%M:%S', due / 1000000, 'unixepoch') || printf('.%06dZ', due % 1000000) AS due,
       strftime('%Y-%m-%dT%H:%M:%S', created / 1000000, 'unixepoch') || printf('.%06dZ', created % 1000000) AS created,
       strftime('%Y-%m-%dT%H:%M:%S', updated / 1000000, 'unixepoch') || printf('.%06dZ', updated % 1000000) AS updated
FROM saga_runs;

DROP VIEW saga_reviews_readable;
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
       strftime('%Y-%m-%dT%H:%M:%S', settled_at / 1000000, 'unixepoch') || printf('.%06dZ', settled_at % 1000000) AS settled_at,
       strftime('%Y-%m-%dT%H:%M:%S', notify_at / 1000000, 'unixepoch') || printf('.%06dZ', notify_at % 1000000) AS notify_at,
       notify_tries
FROM saga_reviews;
