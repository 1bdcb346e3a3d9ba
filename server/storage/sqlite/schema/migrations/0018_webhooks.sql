-- The webhooks of partners (server/webhooks/ports.ts).
--  - url, secrets: sealed; secrets is JSON, the newest first,
--  - previous_until: until when the second of the secrets signs as well,
--  - types: with spaces between them. NULL: all,
--  - disabled_reason: NULL when the partner has disabled it,
--  - revision: rises with each change by the partner,
--  - last_feed: the highest number of a feed. Numbers are never given twice, so that what a hub stores late moves no
--    other feed,
--  - enabled_at: failures from before count no more,
--  - deleted_at: nobody sees it any more; retention deletes its deliveries page by page, and then the row.
CREATE TABLE webhooks (
  id TEXT PRIMARY KEY NOT NULL,
  client_id TEXT NOT NULL REFERENCES partners (client_id),
  url BLOB NOT NULL,
  secrets BLOB NOT NULL,
  previous_until INTEGER,
  types TEXT,
  description TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('enabled', 'disabled')),
  disabled_reason TEXT,
  revision INTEGER NOT NULL DEFAULT 0,
  last_feed INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  enabled_at INTEGER NOT NULL,
  failing_since INTEGER,
  last_delivered_at INTEGER,
  deleted_at INTEGER
) STRICT;
--> statement-breakpoint
CREATE INDEX webhooks_by_client ON webhooks (client_id) WHERE deleted_at IS NULL;
--> statement-breakpoint
CREATE INDEX webhooks_deleted ON webhooks (id) WHERE deleted_at IS NOT NULL;
--> statement-breakpoint
-- What a webhook has still to get of its partner's events. Number 0 has no end; each replay of a range adds one.
CREATE TABLE webhook_feeds (
  webhook_id TEXT NOT NULL REFERENCES webhooks (id),
  number INTEGER NOT NULL,
  after INTEGER NOT NULL,
  up_to INTEGER,
  PRIMARY KEY (webhook_id, number)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
-- What became of an event at a webhook.
--  - id: the webhook's, a slash, and the seq in 16 digits: in the order of the seqs, and the place of the sealed attempts.
--    Known before the row is written, and the same when it is written again,
--  - attempts: JSON, sealed.
CREATE TABLE deliveries (
  id TEXT PRIMARY KEY NOT NULL,
  webhook_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  event_id TEXT NOT NULL,
  type TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
  step INTEGER NOT NULL,
  next_at INTEGER,
  attempts BLOB NOT NULL,
  CHECK ((state = 'pending') = (next_at IS NOT NULL))
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX deliveries_due ON deliveries (webhook_id, next_at) WHERE next_at IS NOT NULL;
