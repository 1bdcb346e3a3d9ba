-- One revision for all stores, raised by the acts that change what the store cache holds, takes the place of the
-- triggers and of the revisions of each bucket: server/storage/sqlite/rows/stores.ts.
DROP TRIGGER tills_store_updated;
--> statement-breakpoint
DROP TRIGGER tills_store_deleted;
--> statement-breakpoint
DROP TRIGGER tills_store_replaced;
--> statement-breakpoint
DROP TRIGGER tills_speaker_linked;
--> statement-breakpoint
DROP TRIGGER tills_speaker_moved;
--> statement-breakpoint
DROP TRIGGER tills_speaker_unlinked;
--> statement-breakpoint
DROP TRIGGER tills_speaker_updated;
--> statement-breakpoint
DROP TRIGGER tills_speaker_replaced;
--> statement-breakpoint
DROP TABLE till_revisions;
--> statement-breakpoint
INSERT INTO revisions (name, revision) VALUES ('stores', 0);
