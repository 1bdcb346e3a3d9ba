-- When an endpoint that has failed ten times in a row is tried next.
ALTER TABLE webhooks ADD COLUMN probe_at integer;
--> statement-breakpoint
-- Of a range that is sent again: its events, and those that were sent.
ALTER TABLE webhook_feeds ADD COLUMN count integer NOT NULL DEFAULT 0;
--> statement-breakpoint
ALTER TABLE webhook_feeds ADD COLUMN sent integer NOT NULL DEFAULT 0;
