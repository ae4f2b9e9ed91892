-- What the person granted for a conversation: a tool, on pages of an origin.
CREATE TABLE grants (
    conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    tool TEXT NOT NULL,
    origin TEXT NOT NULL,
    created BIGINT NOT NULL,
    PRIMARY KEY (conversation, tool, origin)
);
