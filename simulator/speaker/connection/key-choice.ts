import { toBase64url } from '#platform'
import type { Keyring } from '../memory/memory.ts'

/** Chooses the key for each CONNECT (sb/1 2.8). */
export interface KeyChoice {
  /** The power is on. */
  restart(): void
  pick(): Uint8Array
  /** CONNACK 0. */
  admitted(): void
  /** CONNACK 4. True when there is another key to try at once: one that was not refused since the last CONNACK 0. */
  refused(): boolean
}

export function createKeyChoice(keyring: () => Keyring): KeyChoice {
  /** The next key as text. */
  let known: string | undefined
  let usesNext = true
  /** CONNACKs 4 since the last CONNACK 0: after the second one both keys were refused. */
  let refusals = 0

  function restart() {
    usesNext = true
    refusals = 0
  }

  return {
    restart,
    pick() {
      const { current, next } = keyring()
      const text = next && toBase64url(next)
      if (text && text !== known) restart()
      known = text
      return usesNext && next ? next : current
    },
    admitted() {
      refusals = 0
    },
    refused() {
      if (!keyring().next) return false
      usesNext = !usesNext
      refusals += 1
      return refusals === 1
    },
  }
}
