import { volatileMemory } from '../../../simulator/speaker/memory/memory.ts'
import { createSpeaker } from '../../../simulator/speaker/speaker.ts'
import { watchOnLine } from '../../support/on-line.ts'
import type { Ear } from './ear.ts'
import type { Shop } from './world.ts'

/** Sentences are said in no time worth waiting for, and still take some. */
const MS_PER_CLIP = 1

/** The simulator's own speaker, switched on: what a shop would have. */
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
