import type { Moment } from './transcript.ts'

/**
 * When each moment is shown, in milliseconds from the start. An idle stretch (only countdowns change) that is longer
 * than `maxIdleMs` is compressed to it. While the recorded clock was set back, the replay stands still.
 */
export function timelineOf(moments: readonly Moment[], maxIdleMs: number): number[] {
  const clocks = risingClocks(moments)
  const times = clocks.map(() => 0)
  let from = 0
  moments.forEach(({ eventful }, to) => {
    if (!eventful && to < moments.length - 1) return
    const lengthMs = between(clocks, from, to)
    const speed = lengthMs > maxIdleMs ? maxIdleMs / lengthMs : 1
    for (let at = from + 1; at <= to; at += 1)
      times[at] = (times[from] ?? 0) + between(clocks, from, at) * speed
    from = to
  })
  return times
}

function risingClocks(moments: readonly Moment[]): number[] {
  let latestMs = 0
  return moments.map(({ atMs }) => {
    latestMs = Math.max(latestMs, atMs)
    return latestMs
  })
}

function between(clocks: readonly number[], from: number, to: number): number {
  return (clocks[to] ?? 0) - (clocks[from] ?? 0)
}
