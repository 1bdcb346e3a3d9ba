-- The statements of banks, and what was matched with them (server/reconciliation/ports.ts).
--
-- How the files of a bank are read.
CREATE TABLE bank_profiles (
  name TEXT PRIMARY KEY NOT NULL,
  profile TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
-- The accounts of partners of which there is a statement.
--  - account: sealed; account_hash finds it,
--  - version: rises with each change of what its rows are matched by.
CREATE TABLE bank_accounts (
  id TEXT PRIMARY KEY NOT NULL,
  client_id TEXT NOT NULL REFERENCES partners (client_id),
  account BLOB NOT NULL,
  account_hash BLOB NOT NULL,
  version INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  UNIQUE (client_id, account_hash)
) STRICT;
--> statement-breakpoint
-- The payments of an account around the days of its statements: they stay when retention deletes the payments.
-- No reference to payments, which are in partitions elsewhere, and may be deleted.
CREATE TABLE account_payments (
  id TEXT PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL REFERENCES bank_accounts (id),
  paid_at INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  ft_code TEXT NOT NULL,
  trace_transfer TEXT NOT NULL,
  bill_number TEXT NOT NULL,
  terminal_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX account_payments_by_time ON account_payments (account_id, paid_at, id);
--> statement-breakpoint
--  - from_at, until_at: the instants at which the days from_date to to_date begin and end,
--  - touched_at: when an import has stored something; one that is over long ago has died,
--  - matched_version: of the account, at which its rows were matched; NULL: they have to be matched again,
--  - seen_up_to: the number of the newest payment when the account's payments were looked for,
--  - summary: JSON, of the rows and payments at matched_version.
CREATE TABLE statements (
  id TEXT PRIMARY KEY NOT NULL,
  client_id TEXT NOT NULL REFERENCES partners (client_id),
  account_id TEXT NOT NULL REFERENCES bank_accounts (id),
  format TEXT NOT NULL,
  profile TEXT,
  sha256 TEXT NOT NULL,
  zone TEXT NOT NULL,
  from_date TEXT NOT NULL,
  to_date TEXT NOT NULL,
  from_at INTEGER NOT NULL,
  until_at INTEGER NOT NULL,
  opening INTEGER,
  closing INTEGER,
  row_count INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('importing', 'open', 'signed')),
  imported_at INTEGER NOT NULL,
  touched_at INTEGER NOT NULL,
  matched_version INTEGER,
  seen_up_to INTEGER NOT NULL DEFAULT 0,
  summary TEXT NOT NULL,
  UNIQUE (account_id, sha256)
) STRICT;
--> statement-breakpoint
CREATE INDEX statements_by_client ON statements (client_id, id);
--> statement-breakpoint
CREATE INDEX statements_importing ON statements (account_id, touched_at) WHERE state = 'importing';
--> statement-breakpoint
-- The rows of statements.
--  - id: the statement's, a slash, and the number in 6 digits: the place of the sealed narrative, known before it is written,
--  - refs: JSON, the bank's codes,
--  - flags: with spaces between them,
--  - payment_id: each payment is of one row at most,
--  - decision: of a person: the id of a payment, or an empty text for none.
CREATE TABLE statement_rows (
  id TEXT PRIMARY KEY NOT NULL,
  statement_id TEXT NOT NULL REFERENCES statements (id),
  account_id TEXT NOT NULL,
  n INTEGER NOT NULL,
  date TEXT NOT NULL,
  at INTEGER,
  amount INTEGER NOT NULL,
  direction TEXT NOT NULL CHECK (direction IN ('credit', 'debit')),
  refs TEXT NOT NULL,
  narrative BLOB NOT NULL,
  flags TEXT NOT NULL,
  bucket TEXT NOT NULL,
  rule TEXT,
  payment_id TEXT UNIQUE,
  proposed_id TEXT,
  other_row TEXT,
  decision TEXT,
  decision_amount INTEGER,
  decided_by TEXT,
  decided_at INTEGER,
  UNIQUE (statement_id, n)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX statement_rows_by_bucket ON statement_rows (statement_id, bucket, n);
--> statement-breakpoint
CREATE INDEX statement_rows_by_date ON statement_rows (account_id, date, id);
--> statement-breakpoint
CREATE INDEX statement_rows_by_proposal ON statement_rows (proposed_id) WHERE proposed_id IS NOT NULL;
--> statement-breakpoint
-- What people have signed off. Rows are only added.
CREATE TABLE signoffs (
  id TEXT PRIMARY KEY NOT NULL,
  statement_id TEXT NOT NULL REFERENCES statements (id),
  at INTEGER NOT NULL,
  signed_by TEXT NOT NULL,
  note TEXT NOT NULL,
  hash TEXT NOT NULL,
  snapshot TEXT NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX signoffs_by_statement ON signoffs (statement_id, id);
