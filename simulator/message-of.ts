/** What was thrown, in words. `fetch` says only that it failed; what it failed of is its cause. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
