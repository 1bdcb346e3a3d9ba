import type { HeardEvent, Pattern } from '../file/pattern.ts'
import type { EventLog, LoggedEvent } from './event-log.ts'
import { describeDifferences, differences } from './match.ts'

/** An event of another name counts as so many differences. */
const OTHER_NAME = 3

/**
 * The event that came nearest to an expected one, and where it differs, in a sentence; undefined when none is like it.
 * An event that matches, but came before the last match, is named last: each event is matched once, in order.
 */
export function nearestTo(wanted: Pattern, log: EventLog, startedAtMs: number): string | undefined {
  const at = ({ atMs }: LoggedEvent) => `at +${((atMs - startedAtMs) / 1000).toFixed(2)} s`
  const rate = ({ event }: LoggedEvent) => distance(wanted, event)
  const [best] = log.since
    .filter((one) => rate(one) < Number.POSITIVE_INFINITY)
    .sort((a, b) => rate(a) - rate(b))
  const isOther = best !== undefined && best.event.event !== wanted.event
  const earlier = log.before.findLast((one) => rate(one) === 0)
  if (earlier && (best === undefined || isOther))
    return `One came ${at(earlier)}, before the last matched event: ${JSON.stringify(earlier.event)}`
  if (best === undefined) return undefined
  const found = describeDifferences(differences(wanted, best.event))
  return `The nearest came ${at(best)}: ${JSON.stringify(best.event)}: ${found}`
}

/** The number of differences. Infinite for an event that has nothing in common with the expected one. */
function distance(wanted: Pattern, seen: HeardEvent): number {
  const found = differences(wanted, seen).length
  if (seen.event === wanted.event) return found
  return found === Object.keys(wanted).length ? Number.POSITIVE_INFINITY : found + OTHER_NAME
}
