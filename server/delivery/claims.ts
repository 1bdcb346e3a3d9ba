import type { FreeSpeaker } from '../announcements/ports.ts'
import { createBoundedMap } from '../platform/bounded-map.ts'

/** Stores whose speakers are remembered. */
const STORES = 10_000

/**
 * Guesses which speakers will announce a store's next payment: those that announced its last one.
 *
 * Why: an announcement that is stored as sent by its payment's own commit needs no second commit. That holds only for an
 * idle speaker, and only for one payment at a time. A wrong guess costs nothing but that second commit.
 */
export function createClaims(idle: (deviceId: string) => FreeSpeaker | undefined) {
  const speakersOf = createBoundedMap<string[]>(STORES)
  const claimed = new Set<string>()
  const doubtful = new Set<string>()

  return {
    async claim<T>(storeKey: string, act: (speakers: readonly FreeSpeaker[]) => Promise<T>): Promise<T> {
      const deviceIds = speakersOf.get(storeKey) ?? []
      const speakers = deviceIds.flatMap((deviceId) => (claimed.has(deviceId) ? [] : (idle(deviceId) ?? [])))
      for (const { deviceId } of speakers) claimed.add(deviceId)
      try {
        return await act(speakers)
      } catch (error) {
        for (const { deviceId } of speakers) doubtful.add(deviceId)
        throw error
      } finally {
        for (const { deviceId } of speakers) claimed.delete(deviceId)
      }
    },

    /** The speakers of failed claims, each once. */
    doubted(): string[] {
      const deviceIds = [...doubtful]
      doubtful.clear()
      return deviceIds
    },

    /** Stores the speakers of the store's last payment. */
    remember: speakersOf.set,
  }
}
