-- A row for every change by a command, by the API or by the hub itself, written in the commit of the change:
-- server/storage/sqlite/schema/audit-trail.ts. Payments are their own record.
CREATE TABLE audit (
  id INTEGER PRIMARY KEY NOT NULL,
  at INTEGER NOT NULL,
  actor_kind TEXT NOT NULL CHECK (actor_kind IN ('operator', 'partner', 'hub')),
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  details TEXT NOT NULL
) STRICT;
--> statement-breakpoint
-- Finds the row that counts further changes of its kind.
CREATE INDEX audit_counted ON audit (action, actor, at);
--> statement-breakpoint
CREATE TRIGGER audit_stays BEFORE UPDATE ON audit WHEN old.action NOT IN ('token.start', 'payment.prune')
BEGIN
  SELECT RAISE(ABORT, 'an audit row never changes');
END;
