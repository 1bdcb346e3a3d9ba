import { volatileMemory } from '../../../simulator/speaker/memory/memory.ts'
import { createSpeaker } from '../../../simulator/speaker/speaker.ts'
import { watchOnLine } from '../../support/proof/on-line.ts'
import type { Ear } from './ear.ts'
import type { Shop } from './world.ts'

/** Short, so that no scenario waits for speech. Not zero, so that sentences can be interrupted. */
const MS_PER_CLIP = 1

/** Switches on the simulator's speaker of a shop. */
export function switchOnSimulated({ serial, key, terminalID }: Shop, url: string, random: () => number): Ear {
  const heard = new Map<string, number[]>()
  const onLine = watchOnLine()
  const missed: Ear['missed'][number][] = []
  const speaker = createSpeaker({
    ...{ serial, key, url, random },
    memory: volatileMemory(),
    config: { msPerClip: MS_PER_CLIP },
  })
  const self = {
    terminalID,
    heard,
    missed,
    onLine,
    sessions: 0,
    online: false,
    stop: () => speaker.stop(),
  }
  speaker.subscribe((item) => {
    if (item.kind !== 'event') return
    const { event } = item
    switch (event.event) {
      case 'announce':
        heard.set(event.amount, [...(heard.get(event.amount) ?? []), performance.now()])
        break
      case 'missed':
        missed.push({ count: event.count, amount: event.amount })
        break
      case 'connected':
        self.sessions += 1
        self.online = true
        onLine.begin()
        break
      case 'disconnected':
        self.online = false
        onLine.end()
        break
      default:
    }
  })
  speaker.start()
  return self
}
