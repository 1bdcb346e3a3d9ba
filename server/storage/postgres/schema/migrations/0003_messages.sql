-- Both tables are empty after a crash of PostgreSQL: who waits for an answer gets none, and a lock is free.
--
-- What a hub asks the hub that has a device, and the answer.
CREATE UNLOGGED TABLE hub_messages (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  hub text COLLATE "C" NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  sealed bytea NOT NULL,
  deadline bigint NOT NULL,
  taken boolean NOT NULL DEFAULT false,
  answer jsonb
) WITH (fillfactor = 50);
-- Locks over all hubs. The lock of a hub that is gone, and one past its time, can be taken.
CREATE UNLOGGED TABLE hub_locks (
  key text COLLATE "C" PRIMARY KEY,
  hub text COLLATE "C" NOT NULL,
  holder text COLLATE "C" NOT NULL,
  until bigint NOT NULL
) WITH (fillfactor = 50);
