import { parseKey } from '../../../protocol/keys.ts'
import type { Settings } from '../../../protocol/messages/settings.ts'

/** What a speaker keeps over a power cut. It learns everything else again from the hub (sb/1 12.1). */
export interface Memory {
  /** The highest number of an announcement whose audio has ever started. */
  played: number
  settings: Settings
  /** Its keys in base64url, once the hub has given it another than it was given first (sb/1 2.7). */
  keys?: { given: string; current: string; next?: string }
  /** The version of the firmware that it has installed. */
  firmware?: string
}

/** Factory state: nothing played, settings version 0. */
export const FACTORY_MEMORY: Memory = { played: 0, settings: { ver: 0, volume: 80, lang: 'vi' } }

/**
 * Stores the memory. `save` returns when the write survives a power cut; the speaker makes no sound before. Both
 * methods throw a `MemoryError` when the store can't be trusted.
 */
export interface MemoryStore {
  load(): Memory
  save(memory: Memory): void
}

/**
 * The store is damaged or can't be written. The speaker stops: without its memory it might announce a payment twice
 * (sb/1 12.4).
 */
export class MemoryError extends Error {
  override readonly name = 'MemoryError'
}

/**
 * Loads the memory at switch-on. With the fault `forgets-played`, `played` is lost for good: neither a repair nor the
 * next power cut restores it.
 */
export function loadMemory(store: MemoryStore, forgetsPlayed: boolean): Memory {
  const memory = store.load()
  if (!forgetsPlayed || memory.played === 0) return memory
  const forgotten = { ...memory, played: 0 }
  store.save(forgotten)
  return forgotten
}

/** The keys K of a speaker: the one in force, and a next one that the hub has not confirmed yet (sb/1 2.7). */
export interface Keyring {
  current: Buffer
  next?: Buffer
}

/** The keys in force for a speaker that was given this K. Keys of another K belong to another device. */
export function keyringOf({ keys }: Memory, key: Buffer): Keyring {
  if (keys?.given !== key.toString('base64url')) return { current: key }
  const [current, next] = [keys.current, keys.next].map((text) => parseKey(text ?? ''))
  return { current: current ?? key, ...(next && { next }) }
}

/** A memory without a file, for tests and fleets; it lives as long as the object. */
export function volatileMemory(initial: Memory = FACTORY_MEMORY): MemoryStore {
  let kept = initial
  return {
    load: () => kept,
    save: (memory) => {
      kept = memory
    },
  }
}
