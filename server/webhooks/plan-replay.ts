import type { Feed } from './ports.ts'

/** Replays of ranges that one webhook has still to get. */
export const MOST_REPLAYS = 10

/** A range of seqs: above `after`, up to `upTo`. */
export interface ReplayRange {
  after: number
  upTo: number
}

export interface ReplayPlan extends ReplayRange {
  /** The number of the feed that the new one takes the place of. */
  replaces: number | undefined
}

/**
 * The feed that a replay adds to those that go on, which are in the order of their numbers. Undefined when one of them has
 * still to send the whole range. When there are as many as there may be, the newest one takes the range in, with all that is
 * between the two: a partner may ask at any rate, and the feeds of all webhooks are read every second.
 */
export function planReplay(feeds: readonly Feed[], { after, upTo }: ReplayRange): ReplayPlan | undefined {
  const replays = feeds.flatMap(({ upTo, ...feed }) => (upTo === undefined ? [] : [{ ...feed, upTo }]))
  if (replays.some((feed) => feed.after <= after && feed.upTo >= upTo)) return undefined
  const newest = replays.at(-1)
  if (newest === undefined || replays.length < MOST_REPLAYS) return { after, upTo, replaces: undefined }
  return {
    ...{ after: Math.min(newest.after, after), upTo: Math.max(newest.upTo, upTo) },
    replaces: newest.number,
  }
}
