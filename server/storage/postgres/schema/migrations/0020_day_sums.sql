-- Sums of payments and words of shops' names: names and meanings are those of SQLite's tables.
CREATE TABLE payment_sums (
  client_id text COLLATE "C" NOT NULL,
  quarter bigint NOT NULL,
  store_number bigint NOT NULL,
  count bigint NOT NULL,
  amount bigint NOT NULL,
  played bigint NOT NULL,
  missed bigint NOT NULL,
  failed bigint NOT NULL,
  suppressed bigint NOT NULL,
  PRIMARY KEY (client_id, quarter, store_number)
);
CREATE TABLE payment_sums_open (number bigint PRIMARY KEY);
CREATE TABLE payment_sums_state (
  id integer PRIMARY KEY CHECK (id = 1),
  up_to bigint NOT NULL,
  revision bigint NOT NULL
);
INSERT INTO payment_sums_state VALUES (1, 0, 0);
CREATE TABLE store_words (
  word text COLLATE "C" NOT NULL,
  store_number bigint NOT NULL,
  PRIMARY KEY (word, store_number)
);
CREATE INDEX store_words_by_store ON store_words (store_number);
CREATE TABLE store_names_due (store_number bigint PRIMARY KEY, times bigint NOT NULL DEFAULT 1);
-- A trigger, so that no act and no hub of the release before can forget a name. On a conflict the row is locked: who writes
-- the words of a shop passes over it until the new name is there to be read.
CREATE FUNCTION store_named() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO store_names_due (store_number) VALUES (new.number)
  ON CONFLICT (store_number) DO UPDATE SET times = store_names_due.times + 1;
  RETURN NULL;
END $$;
CREATE TRIGGER store_named AFTER INSERT ON stores FOR EACH ROW EXECUTE FUNCTION store_named();
CREATE TRIGGER store_renamed AFTER UPDATE OF store_name ON stores FOR EACH ROW
  WHEN (new.store_name <> old.store_name) EXECUTE FUNCTION store_named();
INSERT INTO store_names_due (store_number) SELECT number FROM stores ON CONFLICT DO NOTHING;
