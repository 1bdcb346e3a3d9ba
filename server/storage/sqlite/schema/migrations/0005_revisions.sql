CREATE TABLE revisions (
  name TEXT PRIMARY KEY NOT NULL,
  revision INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO revisions (name, revision) VALUES ('grants', 0), ('wishes', 0);
