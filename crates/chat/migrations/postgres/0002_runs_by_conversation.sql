CREATE INDEX runs_by_conversation ON runs (conversation, started);
