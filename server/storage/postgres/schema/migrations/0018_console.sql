-- Links with which people of the operator log in to the console, and their sessions (server/operators/ports.ts).
CREATE TABLE console_links (
  hash bytea PRIMARY KEY,
  name text COLLATE "C" NOT NULL,
  role text COLLATE "C" NOT NULL,
  expires_at bigint NOT NULL
);
CREATE TABLE console_sessions (
  id text COLLATE "C" PRIMARY KEY,
  hash bytea NOT NULL UNIQUE,
  name text COLLATE "C" NOT NULL,
  role text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  seen_at bigint NOT NULL
);
