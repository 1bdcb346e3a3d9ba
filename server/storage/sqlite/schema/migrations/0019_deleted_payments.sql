-- What is left of a payment that retention has deleted, so that a repeat of it is known.
--  - number: rises with each deletion,
--  - content_hash: sealed, because short notices could be guessed from it.
CREATE TABLE deleted_payments (
  number INTEGER PRIMARY KEY NOT NULL,
  id TEXT NOT NULL,
  client_id TEXT NOT NULL,
  ft_code TEXT NOT NULL,
  dedupe_key TEXT NOT NULL,
  content_hash BLOB NOT NULL,
  received_at INTEGER NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX deleted_payments_key ON deleted_payments (client_id, ft_code, dedupe_key);
