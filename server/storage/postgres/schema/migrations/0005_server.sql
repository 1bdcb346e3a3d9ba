-- The server on which the hubs work: one row, which a server that takes over has from the one before.
--  - identity: system identifier and timeline, as engine/server-identity.ts reads them. NULL until a hub has looked,
--  - synchronous: a commit is answered when a second server has it,
--  - set_back: its clock was set back, and what follows from that is not stored yet,
--  - set_backs: how often that was stored.
CREATE TABLE server (
  id integer PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  identity text COLLATE "C",
  synchronous boolean NOT NULL,
  set_back boolean NOT NULL DEFAULT false,
  set_backs integer NOT NULL DEFAULT 0
);
INSERT INTO server (synchronous) VALUES (false);
