import { setTimeout as sleep } from 'node:timers/promises'
import { volatileMemory } from '../../simulator/speaker/memory/memory.ts'
import { createSpeaker, type Speaker } from '../../simulator/speaker/speaker.ts'
import type { Shop } from '../force/parts/world.ts'
import type { Note } from '../support/proof/history.ts'
import { noteSpeaker } from '../support/proof/note-speaker.ts'

/** How long a speaker stays connected, and offline, each time, in milliseconds. */
const UP_MS = { min: 2_000, max: 40_000 }
const DOWN_MS = { min: 50, max: 15_000 }
/** Longer than an announcement is news. */
const LONG_DOWN_MS = { min: 130_000, max: 150_000 }
/** How long a speaker is on between two power cuts in a row: about until its first sound. */
const BETWEEN_CUTS_MS = { min: 100, max: 2_500 }

export interface FlappingSpeaker {
  /** Cuts its power now, once or up to three times in a row, unless it is off. */
  cutPower(): void
  powerCuts: number
  flaps: number
  /** Stops flapping. Resolves when it reconnects for good. */
  calm(): Promise<void>
  stop(): Promise<void>
}

/**
 * A speaker whose network or power fails at random, the power also in the middle of a sentence. It keeps only its
 * persistent memory.
 */
export function startFlappingSpeaker(
  { serial, key, terminalID }: Shop,
  url: string,
  random: () => number,
  note: Note,
): FlappingSpeaker {
  const memory = volatileMemory()
  /** Ends the time until the next failure. */
  let hurry = new AbortController()
  const calmed = new AbortController()
  let speaker = switchOn()
  const between = ({ min, max }: { min: number; max: number }) => min + random() * (max - min)

  function switchOn(): Speaker {
    const made = createSpeaker({ serial, key, url, memory, config: { msPerClip: 60 }, random })
    noteSpeaker(made, terminalID, note)
    made.start()
    return made
  }

  async function flap() {
    while (!calmed.signal.aborted) {
      hurry = new AbortController()
      const { signal } = hurry
      await sleep(between(UP_MS), undefined, { signal: AbortSignal.any([calmed.signal, signal]) }).catch(
        (error: unknown) => {
          if (!signal.aborted) throw error
        },
      )
      if (signal.aborted) {
        await loseSupply()
        continue
      }
      self.flaps += 1
      note({ kind: 'offline', terminalID })
      await speaker.cutNetwork()
      const powerFails = random() < 0.5
      if (powerFails) await speaker.stop()
      await sleep(between(DOWN_MS))
      if (powerFails) speaker = switchOn()
      else speaker.start()
    }
  }

  async function loseSupply() {
    const times = 1 + Math.floor(random() * 3)
    for (let cut = 0; cut < times; cut += 1) {
      self.powerCuts += 1
      note({ kind: 'offline', terminalID })
      await speaker.cutNetwork()
      await speaker.stop()
      await sleep(between(cut === 0 && random() < 0.5 ? LONG_DOWN_MS : DOWN_MS))
      speaker = switchOn()
      if (cut < times - 1) await sleep(between(BETWEEN_CUTS_MS))
    }
  }

  const self: FlappingSpeaker = {
    cutPower: () => hurry.abort(),
    flaps: 0,
    powerCuts: 0,
    async calm() {
      calmed.abort()
      await flapping
    },
    stop: () => speaker.stop(),
  }
  const flapping = flap().catch((error: unknown) => {
    if (calmed.signal.aborted) return
    // Report the error at once: nobody awaits this promise yet, and a speaker that no longer flaps proves less.
    process.stderr.write(`${serial} no longer flaps: ${String(error)}\n`)
  })
  return self
}
