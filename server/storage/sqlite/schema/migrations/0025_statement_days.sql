-- Finds the statements of a partner that have a day: they begin at most as long before it as the longest one is.
CREATE INDEX statements_by_day ON statements (client_id, from_date, id);
--> statement-breakpoint
CREATE INDEX statements_by_length ON statements (client_id, (until_at - from_at));
