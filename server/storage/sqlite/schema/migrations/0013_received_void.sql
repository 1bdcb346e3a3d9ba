-- When a birth showed that a received announcement was not spoken. The partner still sees when it was received.
ALTER TABLE announcements ADD COLUMN received_void_at INTEGER;
