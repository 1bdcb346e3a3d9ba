-- Sums of payments by quarter of an hour and shop, from which a day is added up (server/storage/acts/payments/day-sums.ts).
-- Store 0 has the sums of all shops. Payments up to payment_sums_state.up_to are in them, but for those in payment_sums_open,
-- which a speaker may still say. A background task of the hub fills them: no payment writes them.
CREATE TABLE payment_sums (
  client_id TEXT NOT NULL,
  quarter INTEGER NOT NULL,
  store_number INTEGER NOT NULL,
  count INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  played INTEGER NOT NULL,
  missed INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  suppressed INTEGER NOT NULL,
  PRIMARY KEY (client_id, quarter, store_number)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE payment_sums_open (number INTEGER PRIMARY KEY NOT NULL) STRICT;
--> statement-breakpoint
-- One row. The revision rises with every change of the sums.
CREATE TABLE payment_sums_state (
  id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
  up_to INTEGER NOT NULL,
  revision INTEGER NOT NULL
) STRICT;
--> statement-breakpoint
INSERT INTO payment_sums_state VALUES (1, 0, 0);
--> statement-breakpoint
-- The words of shops' names without case and marks, and each whole name behind a space (server/storage/acts/store-names.ts).
CREATE TABLE store_words (
  word TEXT NOT NULL,
  store_number INTEGER NOT NULL,
  PRIMARY KEY (word, store_number)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX store_words_by_store ON store_words (store_number);
--> statement-breakpoint
-- Shops whose words have still to be written, in the background.
CREATE TABLE store_names_due (store_number INTEGER PRIMARY KEY NOT NULL) STRICT;
--> statement-breakpoint
INSERT INTO store_names_due (store_number) SELECT number FROM stores;
--> statement-breakpoint
CREATE TRIGGER store_named AFTER INSERT ON stores BEGIN
  INSERT INTO store_names_due (store_number)
  SELECT new.number WHERE NOT EXISTS (SELECT 1 FROM store_names_due WHERE store_number = new.number);
END;
--> statement-breakpoint
CREATE TRIGGER store_renamed AFTER UPDATE OF store_name ON stores WHEN new.store_name <> old.store_name BEGIN
  INSERT INTO store_names_due (store_number)
  SELECT new.number WHERE NOT EXISTS (SELECT 1 FROM store_names_due WHERE store_number = new.number);
END;
