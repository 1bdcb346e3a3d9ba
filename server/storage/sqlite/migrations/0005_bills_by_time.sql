-- Paid bills too: a speaker that comes back is told to clear one that was paid while it was away, and what is looked
-- through for that must not be all the bills that its shops ever had.
DROP INDEX bills_on_screen;
--> statement-breakpoint
CREATE INDEX bills_on_screen ON bills (store_id, shown_until);
