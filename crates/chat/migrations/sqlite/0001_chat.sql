CREATE TABLE users (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created BIGINT NOT NULL
);

CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    hash TEXT NOT NULL UNIQUE,
    created BIGINT NOT NULL,
    revoked BIGINT
);

CREATE TABLE conversations (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    session TEXT NOT NULL,
    agent TEXT NOT NULL,
    created BIGINT NOT NULL,
    updated BIGINT NOT NULL,
    next_seq BIGINT NOT NULL,
    -- Who answers it now, and until when nobody else may.
    run_id TEXT,
    run_until BIGINT NOT NULL,
    UNIQUE (user_id, session)
);

CREATE TABLE messages (
    conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    page TEXT,
    request_id TEXT,
    created BIGINT NOT NULL,
    PRIMARY KEY (conversation, seq),
    UNIQUE (conversation, request_id)
);

CREATE TABLE calls (
    id TEXT PRIMARY KEY,
    conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    turn BIGINT NOT NULL,
    place BIGINT NOT NULL,
    tool TEXT NOT NULL,
    side TEXT NOT NULL,
    arguments TEXT NOT NULL,
    hash TEXT NOT NULL,
    status TEXT NOT NULL,
    page TEXT,
    client_ref TEXT,
    result TEXT,
    failed BIGINT NOT NULL,
    created BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    UNIQUE (conversation, turn, place)
);

CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    conversation TEXT NOT NULL,
    started BIGINT NOT NULL,
    ended BIGINT,
    outcome TEXT NOT NULL,
    input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL
);

CREATE INDEX runs_by_user ON runs (user_id, started);

CREATE TABLE audit (
    seq BIGINT PRIMARY KEY,
    at BIGINT NOT NULL,
    user_name TEXT NOT NULL,
    conversation TEXT NOT NULL,
    event TEXT NOT NULL,
    detail TEXT NOT NULL,
    previous TEXT NOT NULL,
    hash TEXT NOT NULL
);

CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;

CREATE TRIGGER audit_is_never_replaced BEFORE INSERT ON audit
WHEN EXISTS (SELECT 1 FROM audit WHERE seq = NEW.seq)
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;

CREATE TRIGGER audit_is_never_shortened BEFORE DELETE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;
