import type { FeedItem } from '../../speaker/feed.ts'
import type { SpeakerSnapshot } from '../../speaker/snapshot.ts'

/** A parsed transcript. */
export interface Transcript {
  serial: string
  /** The version of the program that wrote it. */
  program: string
  startedAtMs: number
  /** In order; at least one. */
  moments: readonly Moment[]
  /** Whether the session was closed in order. */
  complete: boolean
}

/** A feed item, a change of the snapshot, or both. */
export interface Moment {
  /** The speaker's clock; it may have been set back. */
  atMs: number
  item: FeedItem | undefined
  /** The speaker from this moment on. */
  snapshot: SpeakerSnapshot
  /** Whether more than a countdown changed. */
  eventful: boolean
}
