-- Links with which people of the operator log in to the console, and their sessions (server/operators/ports.ts).
CREATE TABLE console_links (
  hash BLOB PRIMARY KEY NOT NULL,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE console_sessions (
  id TEXT PRIMARY KEY NOT NULL,
  hash BLOB NOT NULL UNIQUE,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL
) STRICT;
