/**
 * Tells at each look whether the time of an output stands still. `time` is that of a running output in seconds, and
 * undefined while it does not run. An output that has begun since the last look may show no time yet.
 */
export function watchStall(): (time: number | undefined) => boolean {
  let before: number | undefined
  return (time) => {
    const stalled = time !== undefined && time === before
    before = time
    return stalled
  }
}
