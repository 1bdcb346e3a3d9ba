const DURATION =
  /^(?=\d)(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$/
const UNITS_MS = [3_600_000, 60_000, 1_000, 1]

/**
 * Parses a duration such as `250ms`, `1.5s`, `2m`, `1m30s` or `1h` into milliseconds; undefined when the text is not
 * one.
 */
export function parseDuration(text: string): number | undefined {
  const parts = DURATION.exec(text)?.slice(1)
  return parts?.reduce((ms, part, index) => ms + Number(part ?? 0) * (UNITS_MS[index] ?? 0), 0)
}
