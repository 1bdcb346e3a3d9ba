-- The statements of banks: names and meanings are those of SQLite's tables.
CREATE TABLE bank_profiles (
  name text COLLATE "C" PRIMARY KEY,
  profile text COLLATE "C" NOT NULL,
  updated_at bigint NOT NULL
);
CREATE TABLE bank_accounts (
  id text COLLATE "C" PRIMARY KEY,
  client_id text COLLATE "C" NOT NULL REFERENCES partners (client_id),
  account bytea NOT NULL,
  account_hash bytea NOT NULL,
  version bigint NOT NULL DEFAULT 0,
  created_at bigint NOT NULL,
  UNIQUE (client_id, account_hash)
);
CREATE TABLE account_payments (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES bank_accounts (id),
  paid_at bigint NOT NULL,
  amount bigint NOT NULL,
  ft_code text COLLATE "C" NOT NULL,
  trace_transfer text COLLATE "C" NOT NULL,
  bill_number text COLLATE "C" NOT NULL,
  terminal_id text COLLATE "C" NOT NULL
);
CREATE INDEX account_payments_by_time ON account_payments (account_id, paid_at, id);
CREATE TABLE statements (
  id text COLLATE "C" PRIMARY KEY,
  client_id text COLLATE "C" NOT NULL REFERENCES partners (client_id),
  account_id text COLLATE "C" NOT NULL REFERENCES bank_accounts (id),
  format text COLLATE "C" NOT NULL,
  profile text COLLATE "C",
  sha256 text COLLATE "C" NOT NULL,
  zone text COLLATE "C" NOT NULL,
  from_date text COLLATE "C" NOT NULL,
  to_date text COLLATE "C" NOT NULL,
  from_at bigint NOT NULL,
  until_at bigint NOT NULL,
  opening bigint,
  closing bigint,
  row_count bigint NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('importing', 'open', 'signed')),
  imported_at bigint NOT NULL,
  touched_at bigint NOT NULL,
  matched_version bigint,
  seen_up_to bigint NOT NULL DEFAULT 0,
  summary text COLLATE "C" NOT NULL,
  UNIQUE (account_id, sha256)
);
CREATE INDEX statements_by_client ON statements (client_id, id);
CREATE INDEX statements_importing ON statements (account_id, touched_at) WHERE state = 'importing';
CREATE TABLE statement_rows (
  id text COLLATE "C" PRIMARY KEY,
  statement_id text COLLATE "C" NOT NULL REFERENCES statements (id),
  account_id text COLLATE "C" NOT NULL,
  n bigint NOT NULL,
  date text COLLATE "C" NOT NULL,
  at bigint,
  amount bigint NOT NULL,
  direction text COLLATE "C" NOT NULL CHECK (direction IN ('credit', 'debit')),
  refs text COLLATE "C" NOT NULL,
  narrative bytea NOT NULL,
  flags text COLLATE "C" NOT NULL,
  bucket text COLLATE "C" NOT NULL,
  rule text COLLATE "C",
  payment_id text COLLATE "C" UNIQUE,
  proposed_id text COLLATE "C",
  other_row text COLLATE "C",
  decision text COLLATE "C",
  decision_amount bigint,
  decided_by text COLLATE "C",
  decided_at bigint,
  UNIQUE (statement_id, n)
);
CREATE INDEX statement_rows_by_bucket ON statement_rows (statement_id, bucket, n);
CREATE INDEX statement_rows_by_date ON statement_rows (account_id, date, id);
CREATE INDEX statement_rows_by_proposal ON statement_rows (proposed_id) WHERE proposed_id IS NOT NULL;
CREATE TABLE signoffs (
  id text COLLATE "C" PRIMARY KEY,
  statement_id text COLLATE "C" NOT NULL REFERENCES statements (id),
  at bigint NOT NULL,
  signed_by text COLLATE "C" NOT NULL,
  note text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL,
  snapshot text COLLATE "C" NOT NULL
);
CREATE INDEX signoffs_by_statement ON signoffs (statement_id, id);
