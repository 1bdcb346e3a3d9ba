-- What 512 payments have in common, in place of an index for each filter, which every payment would have to write:
-- server/storage/sqlite/rows/payment-digests.ts. The next hub makes those of the payments that are here already.
--  - keys: a Bloom filter of their partners, stores, tills, codes, banks and outcomes.
CREATE TABLE payment_digests (
  segment INTEGER PRIMARY KEY NOT NULL,
  least_amount INTEGER NOT NULL,
  most_amount INTEGER NOT NULL,
  keys BLOB NOT NULL
) STRICT;
--> statement-breakpoint
-- Payments that a speaker has not said: few, so that hardly any payment writes it.
CREATE INDEX announcements_unsaid ON announcements (stage, payment_number)
  WHERE stage IN ('failed', 'expired', 'suppressed');
--> statement-breakpoint
CREATE INDEX devices_by_client ON devices (client_id);
--> statement-breakpoint
CREATE INDEX stores_by_client ON stores (client_id);
