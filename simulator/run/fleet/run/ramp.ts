/**
 * When each speaker of a fleet begins to connect, milliseconds from the start, in rising order. Each has a slot of
 * the same length and a random moment in it: no two ticks bring the same number, and no slot stays empty.
 */
export function startMoments(speakers: number, perSecond: number, random: () => number): Float64Array {
  const slotMs = 1000 / perSecond
  return Float64Array.from({ length: speakers }, (_, index) => (index + random()) * slotMs)
}
