import { expect, it } from 'vitest'
import { parseKey } from '../../../protocol/keys.ts'
import { createStory } from '../../../simulator/demo/story.ts'
import { volatileMemory } from '../../../simulator/device/memory/memory.ts'
import { createPartnerClient } from '../../../simulator/hub/partner-client.ts'
import { createSpeaker } from '../../../simulator/speaker.ts'
import { startTestHub } from '../../support/hub.ts'
import { Watch } from '../support/watch.ts'

it('goes from the token to a payment that is heard, and to another', async () => {
  const hub = await startTestHub()
  const [{ clientId, clientSecret }, { serial, key }] = await Promise.all([hub.partner(), hub.device()])
  const speaker = createSpeaker({
    ...{ serial, key: parseKey(key) ?? Buffer.alloc(0), url: hub.mqtt, memory: volatileMemory() },
    config: { msPerClip: 10 },
  })
  const watch = new Watch(speaker)
  const told: string[] = []
  const partner = createPartnerClient(hub.http, clientId, clientSecret)
  const story = createStory(partner, speaker, { tell: (line) => told.push(line), pauseMs: 0 })
  try {
    speaker.start()
    await watch.next('connected')
    await story.firstPayment()
    expect(told[0]).toBe('The partner has its access token.')
    expect(told).toContain('The speaker says: "Đã nhận năm mươi nghìn đồng"')
    expect(told.at(-1)).toBe('The hub has the proof: the announcement was played, once.')
    await story.payAgain()
    expect(watch.happenings.filter(({ event }) => event === 'played')).toHaveLength(2)
  } finally {
    await speaker.stop()
  }
})
