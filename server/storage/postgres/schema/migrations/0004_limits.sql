-- A crash of PostgreSQL empties both tables: the limits begin anew.
--
-- The last wrong secrets of a partner from one network, newest first.
--  - id: a hash of both,
--  - wait_ms: how long the network had to wait at the last wrong secret, which was not counted then; 0 when it was.
CREATE UNLOGGED TABLE login_failures (
  id text COLLATE "C" PRIMARY KEY,
  times bigint[] NOT NULL,
  last_at bigint NOT NULL,
  wait_ms bigint NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX login_failures_by_age ON login_failures (last_at);
-- What is left of a partner's requests over all hubs, at an instant. Below zero when the hubs have let too many through.
CREATE UNLOGGED TABLE request_buckets (
  client_id text COLLATE "C" PRIMARY KEY,
  tokens double precision NOT NULL,
  filled_at bigint NOT NULL
) WITH (fillfactor = 50);
