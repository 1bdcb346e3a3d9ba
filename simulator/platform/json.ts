/** Parses JSON; undefined when the text is not JSON. `revive` may replace each value, as in `JSON.parse`. */
export function parseJson(text: string, revive?: (key: string, value: unknown) => unknown): unknown {
  try {
    return JSON.parse(text, revive)
  } catch {
    return undefined
  }
}
