/** Edits that the kit does not find, by their key, each with the reason. */
export const ESCAPES: ReadonlyMap<string, string> = new Map()
