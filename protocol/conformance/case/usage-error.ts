/** An invalid file, pattern or option. The user reads the message. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
