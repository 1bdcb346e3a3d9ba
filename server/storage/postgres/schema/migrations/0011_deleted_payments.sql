-- What is left of a payment that retention has deleted, so that a repeat of it is known. Its row of payment_keys stays as
-- long. The columns are those of SQLite's table.
CREATE TABLE deleted_payments (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL,
  client_id text COLLATE "C" NOT NULL,
  ft_code text COLLATE "C" NOT NULL,
  dedupe_key text COLLATE "C" NOT NULL,
  content_hash bytea NOT NULL,
  received_at bigint NOT NULL,
  UNIQUE (client_id, ft_code, dedupe_key)
);
