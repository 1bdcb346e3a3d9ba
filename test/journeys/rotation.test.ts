import { randomBytes } from 'node:crypto'
import { expect, it, onTestFinished } from 'vitest'
import { parseKey } from '../../protocol/keys.ts'
import { deviceRotate } from '../../server/operate/cli/device-maintenance.ts'
import { systemClock } from '../../server/platform/clock.ts'
import { createRandomIds } from '../../server/platform/ids.ts'
import type { SpeakerEvent } from '../../simulator/speaker/device/state/speaker-events.ts'
import { volatileMemory } from '../../simulator/speaker/memory/memory.ts'
import { createSpeaker } from '../../simulator/speaker/speaker.ts'
import { OPERATOR } from '../support/actors.ts'
import { startTestHub } from '../support/hub.ts'
import { until } from '../support/wait.ts'

it('sb/1 2.6, sb/1 2.7, sb/1 2.8, sb/1 2.9: a speaker at a real hub gets a new key by the command line, and the old one ends', async () => {
  const hub = await startTestHub()
  const { serial, key: text } = await hub.device('SB-0001')
  const key = parseKey(text) ?? Buffer.alloc(0)
  const memory = volatileMemory()
  const events: SpeakerEvent[] = []
  const start = (kept = memory) => {
    // It connects with a new key after a time that these digits choose (sb/1 2.7).
    const newSid = () => `0000${randomBytes(6).toString('hex')}`
    const speaker = createSpeaker({ serial, key, url: hub.mqtt, memory: kept, newSid })
    onTestFinished(() => speaker.stop())
    speaker.subscribe((item) => void (item.kind === 'event' && events.push(item.event)))
    speaker.start()
    return speaker
  }
  const happened = (event: SpeakerEvent['event']) => events.filter((one) => one.event === event)

  const speaker = start()
  await until('connected', () => happened('connected').length === 1)
  const workspace = { by: OPERATOR, storage: hub.storage, clock: systemClock, ids: createRandomIds() }
  expect(await deviceRotate(workspace, [serial])).toMatchObject({ done: true })
  await until('the new key', () => happened('rekey').length === 2)
  expect(happened('rekey')).toEqual([
    { event: 'rekey', key: 'next' },
    { event: 'rekey', key: 'confirmed' },
  ])
  const credentials = await hub.storage.devices.credentials(serial)
  expect(credentials?.next).toBeUndefined()
  expect(credentials?.key.toString('base64url')).toBe(memory.load().keys?.current)

  await speaker.powerOff()
  speaker.powerOn()
  await until('connected again', () => happened('connected').length === 3)
  await speaker.stop()
  start(volatileMemory())
  await until('refused', () => happened('refused').length === 1)
})
