/** What was given to the kit makes no sense: a file, a pattern, an option. Its message is for the person. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
