import type { Settings } from '../../../protocol/messages/settings.ts'

/** What a speaker keeps over a power cut; everything else it learns anew from the hub (sb/1 12.1). */
export interface Memory {
  /** The highest number of an announcement whose audio has ever started. */
  played: number
  settings: Settings
  /** Whether the settings were changed at the speaker, and the hub has not confirmed to know. */
  unreported?: true
}

/** As it leaves the factory: nothing played, settings version 0. */
export const FACTORY_MEMORY: Memory = { played: 0, settings: { ver: 0, volume: 80, lang: 'vi' } }

/**
 * Where the memory lives. `save` returns only when a power cut can't undo it: the speaker makes no sound
 * before. Both throw a `MemoryError` when the store can't be trusted.
 */
export interface MemoryStore {
  load(): Memory
  save(memory: Memory): void
}

/**
 * The store is damaged or can't be written. A speaker stops at it: without its memory it might speak twice (sb/1
 * 12.4).
 */
export class MemoryError extends Error {
  override readonly name = 'MemoryError'
}

/**
 * What the speaker knows as it is switched on. A broken store has lost what was played, and loses it for good: it
 * comes back neither with a repair nor with the next power cut.
 */
export function loadMemory(store: MemoryStore, forgetsPlayed: boolean): Memory {
  const memory = store.load()
  if (!forgetsPlayed || memory.played === 0) return memory
  const forgotten = { ...memory, played: 0 }
  store.save(forgotten)
  return forgotten
}

/** A memory for tests and for speakers that come and go; it lives as long as the object does. */
export function volatileMemory(initial: Memory = FACTORY_MEMORY): MemoryStore {
  let kept = initial
  return {
    load: () => kept,
    save: (memory) => {
      kept = memory
    },
  }
}
