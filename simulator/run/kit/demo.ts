import { randomBytes } from 'node:crypto'
import { readClauseList } from '../../../protocol/conformance/case/clause-list.ts'
import { type Profile, profileSchema } from '../../../protocol/conformance/case/profile.ts'
import type { Demo } from '../../../protocol/conformance/demo.ts'
import type { SpeakerEvent } from '../../speaker/device/state/speaker-events.ts'
import { volatileMemory } from '../../speaker/memory/memory.ts'
import { createSpeaker, type Speaker } from '../../speaker/speaker.ts'
import { FastClock } from './fast-clock.ts'
import { answerOf } from './senses.ts'

const SERIAL = 'DEMO-0001'
const FACTOR = 6
const IDLE_FACTOR = 60

const ABOUT = `Demo: the kit checks the simulated speaker over a real connection, on a clock that runs
  ${FACTOR} times as fast, and faster while nothing happens. A simulated person cuts its power, listens and looks.`
const CAVEAT = 'This was the demo: it is about the simulated speaker, not about a product.'

/** A maker says here how the device obeys a clause that no kit can check. */
const DECLARATION = 'here a maker says how the device does it'

/** The simulated speaker has its own clock, which is right, and uses the hub's. */
function demoProfile(): Profile {
  const beyond = [...readClauseList()].filter(([, clause]) => clause.beyond !== undefined)
  return profileSchema.parse({
    clock: 'hub',
    declares: Object.fromEntries(beyond.map(([number]) => [number, DECLARATION])),
  })
}

/** Makes the simulated speaker and a person who stands before it. */
export async function createDemo(): Promise<Demo> {
  const clock = new FastClock({ startMs: Date.now(), factor: FACTOR, idleFactor: IDLE_FACTOR })
  const key = randomBytes(32)
  const heard: SpeakerEvent[] = []
  let speaker: Speaker | undefined
  let attempts = 0
  return {
    ...{ about: ABOUT, caveat: CAVEAT, serial: SERIAL, key, profile: demoProfile(), clock },
    operator: {
      answer: async (question) => speaker && answerOf(question, heard, speaker.snapshot()),
      powerCycle: async () => {
        await speaker?.powerOff()
        speaker?.powerOn()
      },
      goodbye: async () => {
        await speaker?.stop()
        speaker?.start()
      },
    },
    start: (port) => {
      speaker = createSpeaker({
        ...{ serial: SERIAL, key, url: `mqtt://127.0.0.1:${port}`, memory: volatileMemory(), clock },
        // The same in every run: no chance decides which sentence outlasts which reconnection.
        random: () => (attempts++ % 2 === 0 ? 0.4 : 0.6),
      })
      speaker.subscribe((item) => {
        if (item.kind === 'event') heard.push(item.event)
      })
      clock.start()
      speaker.start()
    },
    stop: async () => {
      await speaker?.powerOff()
      clock.stop()
    },
  }
}
