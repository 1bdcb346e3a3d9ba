DROP INDEX announcements_open, announcements_due, announcements_unsaid;
