-- A result or a decision is kept as a message of the kind `page`, with what tells it from any other as its body. When its answer was
-- told to its end.
ALTER TABLE messages ADD COLUMN heard BIGINT;
-- The number of the conversation's next message when the client was told of the call.
ALTER TABLE calls ADD COLUMN offered BIGINT;
-- The page's address, so that the page need not be read for it.
ALTER TABLE messages ADD COLUMN url TEXT;
UPDATE messages SET url = json_extract(page, '$.url') WHERE page IS NOT NULL;
