const DURATION =
  /^(?=\d)(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$/
const UNITS_MS = [3_600_000, 60_000, 1_000, 1]

/** Reads a length of time as people write it: `250ms`, `1.5s`, `2m`, `1m30s`, `1h`. Milliseconds; undefined when it is none. */
export function parseDuration(text: string): number | undefined {
  const parts = DURATION.exec(text)?.slice(1)
  return parts?.reduce((ms, part, index) => ms + Number(part ?? 0) * (UNITS_MS[index] ?? 0), 0)
}
