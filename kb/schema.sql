-- The knowledge base of mbc: one SQLite file. kb/README.md explains it.
-- Only mbc/agent/memory.py reads and writes it; views at the end are for people.

PRAGMA application_id = 0x6d626331;  -- "mbc1": tells our files from other SQLite files
PRAGMA user_version = 2;

CREATE TABLE IF NOT EXISTS kb_meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

-- Ids of target, kernel, state, action and outcome are functions of their content,
-- so that the union of two knowledge bases is INSERT OR IGNORE.

CREATE TABLE IF NOT EXISTS target (
    id         TEXT PRIMARY KEY,
    name       TEXT NOT NULL,                                   -- rvv, opencl, cuda
    class      TEXT NOT NULL CHECK (class IN ('simd', 'simt')),
    device     TEXT NOT NULL,                                   -- what a number holds for
    toolchain  TEXT NOT NULL
);

CREATE TABLE IF NOT EXISTS kernel (
    id          TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,                                  -- of the kernel's IR
    family      TEXT NOT NULL,
    dtypes      TEXT NOT NULL,
    shape_class TEXT NOT NULL,
    flops       REAL NOT NULL,
    bytes       REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS kernel_fingerprint ON kernel (fingerprint);

CREATE TABLE IF NOT EXISTS state (
    id     TEXT PRIMARY KEY,                                    -- the signature
    level  INTEGER NOT NULL,                                    -- 0 coarse, 2 full
    parent TEXT REFERENCES state (id),
    label  TEXT NOT NULL DEFAULT ''
);

CREATE TABLE IF NOT EXISTS action (
    id   TEXT PRIMARY KEY,                                      -- "role:text", or text
    name TEXT NOT NULL,                                         -- the pass
    text TEXT NOT NULL,                                         -- without the selector
    role TEXT NOT NULL CHECK (role IN ('self', 'producer', 'consumer'))
);

CREATE TABLE IF NOT EXISTS outcome (
    id           TEXT PRIMARY KEY,                              -- sha256 of all below
    run_id       TEXT NOT NULL,                                 -- run may be elsewhere
    kernel       TEXT NOT NULL REFERENCES kernel (id),
    target       TEXT NOT NULL REFERENCES target (id),
    label        TEXT NOT NULL,                                 -- as in pipeline
    state_before TEXT NOT NULL REFERENCES state (id),
    state_after  TEXT REFERENCES state (id),
    features     TEXT NOT NULL,                                 -- JSON, of state_after
    action       TEXT NOT NULL REFERENCES action (id),
    pipeline     TEXT NOT NULL,                                 -- replayable, whole
    parent       TEXT,  -- outcome id; no reference: it may be in another knowledge base
    depth        INTEGER NOT NULL,                              -- steps from the default
    verdict      TEXT NOT NULL CHECK (verdict IN (
        'improved', 'no_improvement', 'regressed', 'inconclusive', 'refused',
        'compile_fail', 'verify_fail', 'timeout', 'suspect', 'blocked')),
    reason       TEXT NOT NULL,                                 -- one sentence, or empty
    log_speedup  REAL,                                          -- against the parent
    se           REAL,
    log_default  REAL,                                          -- against the default
    low_default   REAL,
    value        REAL,                                          -- NULL: not measured
    unit         TEXT,
    fidelity     INTEGER,       -- 0 analytic, 1 static, 2 counted, 3 modelled, 4 hardware
    pred_mu      REAL NOT NULL,                                 -- predicted log_speedup
    pred_sd      REAL NOT NULL,
    gate_version INTEGER NOT NULL,
    gate_report  TEXT NOT NULL,                                 -- JSON
    created      TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS outcome_kernel ON outcome (kernel, target);
CREATE INDEX IF NOT EXISTS outcome_run ON outcome (run_id);
CREATE INDEX IF NOT EXISTS outcome_parent ON outcome (parent);

CREATE TRIGGER IF NOT EXISTS outcome_no_update BEFORE UPDATE ON outcome
BEGIN SELECT RAISE(ABORT, 'outcome is append-only'); END;
CREATE TRIGGER IF NOT EXISTS outcome_no_delete BEFORE DELETE ON outcome
BEGIN SELECT RAISE(ABORT, 'outcome is append-only'); END;
-- REPLACE would delete without firing the trigger above.
CREATE TRIGGER IF NOT EXISTS outcome_no_replace BEFORE INSERT ON outcome
WHEN EXISTS (SELECT 1 FROM outcome WHERE id = NEW.id)
BEGIN SELECT RAISE(IGNORE); END;

-- Recomputable from outcome at any time (rebuild).
CREATE TABLE IF NOT EXISTS stat (
    state        TEXT NOT NULL,                                 -- signature, any level
    action       TEXT NOT NULL,
    scope        TEXT NOT NULL
        CHECK (scope IN ('family_target', 'target', 'class', 'global')),
    scope_key    TEXT NOT NULL,
    gate_version INTEGER NOT NULL,
    n            INTEGER NOT NULL,
    mean_log     REAL NOT NULL,
    m2           REAL NOT NULL,
    compile_fail INTEGER NOT NULL,
    verify_fail  INTEGER NOT NULL,
    timeout      INTEGER NOT NULL,
    suspect      INTEGER NOT NULL,
    refused      INTEGER NOT NULL,
    inconclusive INTEGER NOT NULL,
    PRIMARY KEY (state, action, scope, scope_key, gate_version)
) WITHOUT ROWID;

-- The constraints; CONSTRAINT itself is an SQL keyword, which every query would have
-- to quote.
CREATE TABLE IF NOT EXISTS rule (
    id        TEXT PRIMARY KEY,
    action    TEXT NOT NULL,                                    -- pass name, text or *
    target    TEXT NOT NULL,                                    -- name, class or *
    predicate TEXT NOT NULL,                                    -- true: forbidden
    text      TEXT NOT NULL,
    evidence  TEXT NOT NULL,                                    -- JSON, outcome ids
    status    TEXT NOT NULL CHECK (status IN ('proposed', 'active', 'retired'))
);

CREATE TABLE IF NOT EXISTS note (
    id       TEXT PRIMARY KEY,
    state    TEXT REFERENCES state (id),
    action   TEXT REFERENCES action (id),
    scope    TEXT NOT NULL,
    text     TEXT NOT NULL,
    evidence TEXT NOT NULL,
    weight   REAL NOT NULL,
    status   TEXT NOT NULL CHECK (status IN ('proposed', 'active', 'retired'))
);

CREATE TABLE IF NOT EXISTS gradient (
    id          TEXT PRIMARY KEY,
    evidence    TEXT NOT NULL,                                  -- JSON, outcome ids
    critic_text TEXT NOT NULL,
    delta       TEXT NOT NULL,                                  -- JSON
    accepted    INTEGER NOT NULL,
    reason      TEXT NOT NULL,
    kb_before   TEXT NOT NULL,
    kb_after    TEXT NOT NULL
);

CREATE TABLE IF NOT EXISTS model_decision (
    id           TEXT PRIMARY KEY,
    model        TEXT NOT NULL,
    target       TEXT NOT NULL REFERENCES target (id),
    subgraph     TEXT NOT NULL,
    alternatives TEXT NOT NULL,                                 -- JSON
    chosen       TEXT NOT NULL,
    predicted    REAL,
    measured     REAL,
    verdict      TEXT NOT NULL
);

CREATE TABLE IF NOT EXISTS run (
    id       TEXT PRIMARY KEY,
    kernel   TEXT NOT NULL,
    target   TEXT NOT NULL,
    policy   TEXT NOT NULL,
    seed     INTEGER NOT NULL,
    budget   TEXT NOT NULL,                                     -- JSON
    started  TEXT NOT NULL,
    finished TEXT,                                              -- NULL: died or running
    stopped  TEXT                                               -- why, one sentence
);

CREATE TABLE IF NOT EXISTS llm_call (
    id         TEXT PRIMARY KEY,
    run_id     TEXT NOT NULL,
    model      TEXT NOT NULL,
    purpose    TEXT NOT NULL,
    prompt_sha TEXT NOT NULL,
    tokens_in  INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    tokens_hit INTEGER NOT NULL,                                -- read from the cache
    usd        REAL NOT NULL
);

CREATE TABLE IF NOT EXISTS artifact (
    sha256 TEXT PRIMARY KEY,
    kind   TEXT NOT NULL,
    path   TEXT NOT NULL
);

-- Every outcome with its kernel and target spelled out: what export writes.
CREATE VIEW IF NOT EXISTS outcomes AS
SELECT o.*,
       k.fingerprint, k.family, k.dtypes, k.shape_class, k.flops, k.bytes,
       t.name AS target_name, t.class AS target_class, t.device, t.toolchain,
       a.text AS action_text, a.role AS action_role
FROM outcome o
JOIN kernel k ON k.id = o.kernel
JOIN target t ON t.id = o.target
JOIN action a ON a.id = o.action;

-- Views may change with the version: an older file gets the new ones.
DROP VIEW IF EXISTS best;
DROP VIEW IF EXISTS accepted;

-- Accepted: improved, the lower 95 % bound against the default clears log 1.03, the
-- report says that G2 and G6 compared something and passed, and no later outcome with
-- the same pipeline and this one as its parent says that it is wrong after all.
CREATE VIEW accepted AS
SELECT * FROM outcomes o
WHERE verdict = 'improved' AND low_default >= 0.02955880
  AND 2 = (
    SELECT count(DISTINCT gate) FROM (
      SELECT CASE type WHEN 'object' THEN json_extract(value, '$.gate') END AS gate,
             CASE type WHEN 'object' THEN json_extract(value, '$.result') END AS ended,
             CASE type WHEN 'object' THEN json_extract(value, '$.checks') END AS checks
      FROM json_each(CASE WHEN json_valid(o.gate_report) THEN o.gate_report
                     ELSE '{}' END, '$.gates'))
    WHERE gate IN ('G2', 'G6') AND ended = 'passed' AND checks > 0)
  AND NOT EXISTS (
    SELECT 1 FROM outcome r
    WHERE r.parent = o.id AND r.pipeline = o.pipeline AND r.verdict = 'verify_fail');

-- The best accepted outcome of each kernel on each device, by the strictest gates.
-- (SQLite takes the other columns from the row that holds the maximum.)
CREATE VIEW best AS
SELECT fingerprint, family, dtypes, shape_class, target_name, device, toolchain,
       max(log_default) AS log_default, value, unit, fidelity, pipeline, label,
       gate_version, id, created
FROM accepted
WHERE gate_version = (SELECT max(gate_version) FROM outcome)
GROUP BY fingerprint, target_name, device, toolchain, fidelity;

CREATE VIEW IF NOT EXISTS failures AS
SELECT verdict, target_name, family, action, reason, pipeline, label, id, created
FROM outcomes
WHERE verdict IN ('refused', 'compile_fail', 'verify_fail', 'timeout', 'suspect',
                  'blocked')
ORDER BY created DESC;
