import type { FeedItem } from '../../speaker/feed.ts'
import type { SpeakerSnapshot } from '../../speaker/snapshot.ts'

/** A recorded session, ready to be shown. */
export interface Transcript {
  serial: string
  /** The version of the program that wrote it. */
  program: string
  startedAtMs: number
  /** In order; the first is there from the start. */
  moments: readonly Moment[]
  /** Whether the session was closed in order; otherwise the recording just stops. */
  complete: boolean
}

/** Something happened, or something else is to be seen, or both. */
export interface Moment {
  /** The speaker's clock, for whoever shows it; it may have been set back. */
  atMs: number
  item: FeedItem | undefined
  /** How the speaker was from here on. */
  snapshot: SpeakerSnapshot
  /** Whether there was more than a countdown that went on. */
  eventful: boolean
}
