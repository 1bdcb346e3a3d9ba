/**
 * The van der Corput sequence: a place in [0, 1) for each speaker. The first speakers, however many, lie evenly over the
 * whole range. Faults, networks and dialects take different bases: who has a fault says nothing of who has a bad network.
 */
export function spread(index: number, base: number): number {
  let place = 0
  let part = 1 / base
  for (let rest = index; rest > 0; rest = Math.floor(rest / base)) {
    place += (rest % base) * part
    part /= base
  }
  return place
}
