-- When an endpoint that has failed ten times in a row is tried next.
ALTER TABLE webhooks ADD COLUMN probe_at bigint;
-- Of a range that is sent again: its events, and those that were sent.
ALTER TABLE webhook_feeds ADD COLUMN count bigint NOT NULL DEFAULT 0;
ALTER TABLE webhook_feeds ADD COLUMN sent bigint NOT NULL DEFAULT 0;
