/** The message of a thrown value. `fetch` says only that it failed; its cause says why. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}

/** The `code` of a system error, such as ENOENT; undefined when there is none. */
export function errorCode(error: unknown): unknown {
  return Object(error).code
}

/**
 * Why a file could not be used, for a sentence that already names the file. Node's own message repeats the path:
 * `ENOENT: …, open '/file'`.
 */
export function fileTrouble(error: unknown): string {
  if (errorCode(error) === 'ENOENT') return 'there is no such file'
  return messageOf(error).replace(/, \w+( '.*')?$/, '')
}
