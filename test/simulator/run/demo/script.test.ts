import { expect, it, onTestFinished } from 'vitest'
import { parseKey } from '../../../../protocol/keys.ts'
import { createDemoScript } from '../../../../simulator/run/demo/script.ts'
import { createPartnerClient } from '../../../../simulator/run/hub/partner-client.ts'
import { volatileMemory } from '../../../../simulator/speaker/memory/memory.ts'
import { createSpeaker } from '../../../../simulator/speaker/speaker.ts'
import { startTestHub } from '../../../support/hub.ts'
import { asHubClock, startLaggingClock } from '../../support/lagging-clock.ts'
import { Watch } from '../../support/watch.ts'

const PROOF = 'The hub has the proof: the announcement was played, once.'

/** Hub and speaker have one clock. It stands still while the machine is too busy to run this process. */
async function stage() {
  const clock = startLaggingClock()
  onTestFinished(() => clock.stop())
  let laterMs = 0
  const hubClock = asHubClock(clock)
  const hub = await startTestHub({ clock: { ...hubClock, now: () => hubClock.now() + laterMs } })
  /** Only the hub's time of day moves: connections stay. */
  const passHour = () => {
    laterMs += 3_600_000
  }
  const [{ clientId, clientSecret }, { serial, key }] = await Promise.all([hub.partner(), hub.device()])
  const speaker = createSpeaker({
    ...{ serial, key: parseKey(key) ?? Buffer.alloc(0), url: hub.mqtt, memory: volatileMemory() },
    ...{ clock, config: { msPerClip: 10 } },
  })
  onTestFinished(() => speaker.stop())
  const watch = new Watch(speaker)
  const shownLines: string[] = []
  const partner = createPartnerClient(hub.http, clientId, clientSecret, { answerWithinMs: 600_000 })
  const script = createDemoScript(partner, speaker, { print: (line) => shownLines.push(line), pauseMs: 0 })
  speaker.start()
  await watch.next('connected')
  return { speaker, watch, shownLines, script, passHour }
}

it('goes from the token to an announced payment, and to a second one', async () => {
  const { watch, shownLines, script } = await stage()
  await script.firstPayment()
  expect(shownLines[0]).toBe('The partner has its access token.')
  expect(shownLines).toContain('The speaker says: "Đã nhận năm mươi nghìn đồng"')
  expect(shownLines.at(-1)).toBe(PROOF)
  await script.payAgain()
  expect(watch.events.filter(({ event }) => event === 'played')).toHaveLength(2)
})

it.each(['cable', 'power'])('continues without the %s, and finishes when it is back', async (what) => {
  const { speaker, shownLines, script } = await stage()
  await script.firstPayment()
  await (what === 'cable' ? speaker.cutNetwork() : speaker.powerOff())
  await script.payAgain()
  expect(shownLines.at(-1)).toMatch(/^The speaker is offline/)
  if (what === 'cable') speaker.start()
  else speaker.powerOn()
  await script.settled()
  expect(shownLines.slice(-2)).toEqual([expect.stringMatching(/^The speaker says: /), PROOF])
})

it('says why a payment is not announced, and why a screen stays dark', async () => {
  const { speaker, shownLines, script } = await stage()
  speaker.setFault('broken-display', true)
  await expect(script.firstPayment()).rejects.toThrow("can't show the code (display_failed)")
  speaker.setFault('broken-display', false)
  speaker.setFault('broken-audio', true)
  await script.payAgain()
  expect(shownLines.at(-1)).toBe("The speaker can't speak (audio_failed): the speaker shows it as missed.")
  speaker.setFault('broken-audio', false)
  speaker.setFault('broken-display', true)
  await script.payAgain()
  expect(shownLines).toContain("The speaker can't show the QR (display_failed); the bill is still paid.")
  expect(shownLines.at(-1)).toBe(PROOF)
})

it('pays in each hour of a day: its token lives for one', async () => {
  const { watch, shownLines, script, passHour } = await stage()
  await script.firstPayment()
  for (let hour = 1; hour <= 24; hour += 1) {
    passHour()
    await script.payAgain()
    expect(shownLines.at(-1)).toBe(PROOF)
  }
  expect(watch.events.filter(({ event }) => event === 'played')).toHaveLength(25)
  expect(shownLines.join('')).not.toContain('{')
})
