/** What was thrown, in words. `fetch` says only that it failed; what it failed of is its cause. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}

/** Why a file could not be used, for a sentence that names it already: Node's words are `ENOENT: …, open '/file'`. */
export function fileTrouble(error: unknown): string {
  if (Object(error).code === 'ENOENT') return 'there is no such file'
  return messageOf(error).replace(/, \w+( '.*')?$/, '')
}
