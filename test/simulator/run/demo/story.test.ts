import { expect, it, onTestFinished } from 'vitest'
import { parseKey } from '../../../../protocol/keys.ts'
import { createStory } from '../../../../simulator/run/demo/story.ts'
import { createPartnerClient } from '../../../../simulator/run/hub/partner-client.ts'
import { volatileMemory } from '../../../../simulator/speaker/memory/memory.ts'
import { createSpeaker } from '../../../../simulator/speaker/speaker.ts'
import { startTestHub } from '../../../support/hub.ts'
import { Watch } from '../../support/watch.ts'

const PROOF = 'The hub has the proof: the announcement was played, once.'

async function stage() {
  const hub = await startTestHub()
  const [{ clientId, clientSecret }, { serial, key }] = await Promise.all([hub.partner(), hub.device()])
  const speaker = createSpeaker({
    ...{ serial, key: parseKey(key) ?? Buffer.alloc(0), url: hub.mqtt, memory: volatileMemory() },
    config: { msPerClip: 10 },
  })
  onTestFinished(() => speaker.stop())
  const watch = new Watch(speaker)
  const told: string[] = []
  const partner = createPartnerClient(hub.http, clientId, clientSecret)
  const story = createStory(partner, speaker, { tell: (line) => told.push(line), pauseMs: 0 })
  speaker.start()
  await watch.next('connected')
  return { speaker, watch, told, story }
}

it('goes from the token to a payment that is heard, and to another', async () => {
  const { watch, told, story } = await stage()
  await story.firstPayment()
  expect(told[0]).toBe('The partner has its access token.')
  expect(told).toContain('The speaker says: "Đã nhận năm mươi nghìn đồng"')
  expect(told.at(-1)).toBe(PROOF)
  await story.payAgain()
  expect(watch.events.filter(({ event }) => event === 'played')).toHaveLength(2)
})

it.each(['cable', 'power'])(
  'comes to its end when the %s is back, and does not wait for it',
  async (what) => {
    const { speaker, told, story } = await stage()
    await story.firstPayment()
    await (what === 'cable' ? speaker.cutNetwork() : speaker.powerOff())
    await story.payAgain()
    expect(told.at(-1)).toMatch(/^The speaker is offline/)
    if (what === 'cable') speaker.start()
    else speaker.powerOn()
    await story.settled()
    expect(told.slice(-2)).toEqual([expect.stringMatching(/^The speaker says: /), PROOF])
  },
)

it('says why a payment is not heard, and why a screen stays dark', async () => {
  const { speaker, told, story } = await stage()
  speaker.setFault('broken-display', true)
  await expect(story.firstPayment()).rejects.toThrow("can't show the code (display_failed)")
  speaker.setFault('broken-display', false)
  speaker.setFault('broken-audio', true)
  await story.payAgain()
  expect(told.at(-1)).toBe("The speaker can't speak (audio_failed): the shop is shown it as missed.")
  speaker.setFault('broken-audio', false)
  speaker.setFault('broken-display', true)
  await story.payAgain()
  expect(told).toContain("The speaker can't show the QR (display_failed); it is paid all the same.")
  expect(told.at(-1)).toBe(PROOF)
})
