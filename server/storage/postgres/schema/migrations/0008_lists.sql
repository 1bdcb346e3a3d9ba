-- For the lists of partners, each in the order of its rows' numbers. Who has many payments has built them before.
CREATE INDEX IF NOT EXISTS payments_by_client ON payments (client_id, number);
CREATE INDEX IF NOT EXISTS payments_by_store ON payments (store_id, number);
CREATE INDEX IF NOT EXISTS payments_by_terminal ON payments (terminal_id, number);
CREATE INDEX IF NOT EXISTS payments_by_trace ON payments (trace_transfer, number) WHERE trace_transfer <> '';
CREATE INDEX IF NOT EXISTS payments_by_bill ON payments (bill_number, number) WHERE bill_number <> '';
CREATE INDEX IF NOT EXISTS payments_by_id ON payments (id);
-- Payments that a speaker has not said.
CREATE INDEX IF NOT EXISTS announcements_unsaid ON announcements (stage, payment_number)
  WHERE stage IN ('failed', 'expired', 'suppressed');
CREATE INDEX IF NOT EXISTS devices_by_client ON devices (client_id, number);
CREATE INDEX IF NOT EXISTS stores_by_client ON stores (client_id, number);
