import { expect, it } from 'vitest'
import { FACTORY_MEMORY, volatileMemory } from '../../../simulator/speaker/memory/memory.ts'
import { createSpeaker } from '../../../simulator/speaker/speaker.ts'

it('a speaker whose screen or sound throws is broken, and does nothing more', () => {
  const memory = volatileMemory()
  const key = new Uint8Array(32)
  const speaker = createSpeaker({ serial: 'SPK-TEST-01', key, url: 'mqtt://127.0.0.1:1', memory })
  const events: string[] = []
  speaker.subscribe((item) => {
    if (item.kind !== 'event') return
    events.push(item.event.event)
    if (item.event.event !== 'broken') throw new Error('the screen is gone')
  })
  expect(() => speaker.setFault('broken-display', true)).toThrow('the screen is gone')
  expect(events).toEqual(['fault', 'broken'])

  speaker.adjust({ volume: 10 })
  expect(events).toEqual(['fault', 'broken'])
  expect(memory.load()).toEqual(FACTORY_MEMORY)
})
