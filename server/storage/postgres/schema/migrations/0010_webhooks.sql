-- The webhooks of partners: names and meanings are those of SQLite's tables.
CREATE TABLE webhooks (
  id text COLLATE "C" PRIMARY KEY,
  client_id text COLLATE "C" NOT NULL REFERENCES partners (client_id),
  url bytea NOT NULL,
  secrets bytea NOT NULL,
  previous_until bigint,
  types text COLLATE "C",
  description text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('enabled', 'disabled')),
  disabled_reason text COLLATE "C",
  revision bigint NOT NULL DEFAULT 0,
  last_feed bigint NOT NULL DEFAULT 0,
  created_at bigint NOT NULL,
  enabled_at bigint NOT NULL,
  failing_since bigint,
  last_delivered_at bigint,
  deleted_at bigint
) WITH (fillfactor = 50);
CREATE INDEX webhooks_by_client ON webhooks (client_id) WHERE deleted_at IS NULL;
CREATE INDEX webhooks_deleted ON webhooks (id) WHERE deleted_at IS NOT NULL;
CREATE TABLE webhook_feeds (
  webhook_id text COLLATE "C" NOT NULL REFERENCES webhooks (id),
  number bigint NOT NULL,
  after bigint NOT NULL,
  up_to bigint,
  PRIMARY KEY (webhook_id, number)
) WITH (fillfactor = 50);
CREATE TABLE deliveries (
  id text COLLATE "C" PRIMARY KEY,
  webhook_id text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
  step integer NOT NULL,
  next_at bigint,
  attempts bytea NOT NULL,
  CHECK ((state = 'pending') = (next_at IS NOT NULL))
);
CREATE INDEX deliveries_due ON deliveries (webhook_id, next_at) WHERE next_at IS NOT NULL;
