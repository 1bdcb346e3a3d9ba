/**
 * When each speaker starts to connect, in milliseconds from the start, rising. Each has a slot of the same length and a
 * random moment in it, which is neither regular nor leaves gaps.
 */
export function startMoments(speakers: number, perSecond: number, random: () => number): Float64Array {
  const slotMs = 1000 / perSecond
  return Float64Array.from({ length: speakers }, (_, index) => (index + random()) * slotMs)
}
