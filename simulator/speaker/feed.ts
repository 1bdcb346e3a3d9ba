import type { PacketNote } from './connection/packets.ts'
import type { SpeakerEvent } from './device/state/speaker-events.ts'

/** A speaker's feed, in order: its events, and every MQTT packet. */
export type FeedItem = { atMs: number } & (
  | { kind: 'event'; event: SpeakerEvent }
  | { kind: 'packet'; note: PacketNote }
)

export type FeedListener<Item = FeedItem> = (item: Item) => void

export interface Feed<Item = FeedItem> {
  publish(item: Item): void
  /** Returns a function that ends the subscription. */
  subscribe(listener: FeedListener<Item>): () => void
}

export function createFeed<Item = FeedItem>(): Feed<Item> {
  const listeners = new Set<FeedListener<Item>>()
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
