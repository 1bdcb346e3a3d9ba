import type { PacketNote } from './connection/packets.ts'
import type { SpeakerEvent } from './device/state/speaker-events.ts'

/** A speaker's feed, in order: its events, and every MQTT packet. */
export type FeedItem = { atMs: number } & (
  | { kind: 'event'; event: SpeakerEvent }
  | { kind: 'packet'; note: PacketNote }
)

export type FeedListener = (item: FeedItem) => void

export interface Feed {
  publish(item: FeedItem): void
  /** Returns a function that ends the subscription. */
  subscribe(listener: FeedListener): () => void
}

export function createFeed(): Feed {
  const listeners = new Set<FeedListener>()
  return {
    publish: (item) => {
      for (const listener of listeners) listener(item)
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}
