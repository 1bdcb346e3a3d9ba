import { toBase64url } from '#platform'
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
 * Stores the memory. The write survives a power cut once `save` has returned, or once its promise has resolved; the
 * speaker makes no sound before. Writes take effect in the order of the calls. `load` and `save` throw a `MemoryError`
 * when the store can't be trusted, and the promise rejects.
 */
export interface MemoryStore {
  load(): Memory
  save(memory: Memory): void | Promise<void>
}

/** A store whose writes are durable when they return. */
export interface PromptMemoryStore extends MemoryStore {
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
 * next power cut restores it. `saving` is the write of that, if it takes time.
 */
export function loadMemory(
  store: MemoryStore,
  forgetsPlayed: boolean,
): { memory: Memory; saving?: ReturnType<MemoryStore['save']> } {
  const memory = store.load()
  if (!forgetsPlayed || memory.played === 0) return { memory }
  const forgotten = { ...memory, played: 0 }
  return { memory: forgotten, saving: store.save(forgotten) }
}

/** The keys K of a speaker: the one in force, and a next one that the hub has not confirmed yet (sb/1 2.7). */
export interface Keyring {
  current: Uint8Array
  next?: Uint8Array
}

/** The keys in force for a speaker that was given this K. Keys of another K belong to another device. */
export function keyringOf({ keys }: Memory, key: Uint8Array): Keyring {
  if (keys?.given !== toBase64url(key)) return { current: key }
  const [current, next] = [keys.current, keys.next].map((text) => parseKey(text ?? ''))
  return { current: current ?? key, ...(next && { next }) }
}

/** A memory without a file, for tests and fleets; it lives as long as the object. */
export function volatileMemory(initial: Memory = FACTORY_MEMORY): PromptMemoryStore {
  let kept = initial
  return {
    load: () => kept,
    save: (memory) => {
      kept = memory
    },
  }
}
