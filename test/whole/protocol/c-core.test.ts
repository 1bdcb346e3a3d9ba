import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { builtCCore, type CCore, missingForCore } from '../../protocol/c/build.ts'
import { acceptanceVectors, clipVectors, frameVectors } from '../../protocol/vectors.ts'
import { expectedOf, linesOf, outcomeOf } from './c/acceptance.ts'
import { lives, playedIn, spokenIn } from './c/exactly-once.ts'
import { isComparable, mangled, misshapen, printedVerdict, SETUP, seal, verdictOf } from './c/fuzz.ts'
import { REKEYS } from './c/rekeys.ts'
import { briefly, NAMES, SCENARIOS, sealed, TEXTS } from './c/scenarios.ts'
import { UPDATES } from './c/updates.ts'

const missing = missingForCore()
if (missing !== undefined) process.stderr.write(`The core in C is not tested: ${missing}.\n`)

const hex = (text: string | Uint8Array) => Buffer.from(text).toString('hex') || '-'

describe.skipIf(missing !== undefined)('the core in C', () => {
  let c: CCore
  beforeAll(async () => {
    c = await builtCCore()
  })

  it('sb/1 2.2, sb/1 2.5, sb/1 5.2: derives the keys of frame.json and their proofs, seals its frames byte for byte and opens them', () => {
    const { keys, frames } = frameVectors
    const derived = c.run(keys.map(({ key, serial }) => [`derive ${key} ${serial}`]))
    expect(derived).toEqual(
      keys.map(({ loginHex, downHex, upHex, password, proof }) => [
        { login: loginHex, down: downHex, up: upHex, password, proof },
      ]),
    )
    const sealed = c.run(
      frames.map((one) => [
        `seal ${placeOf(one)} ${hex(one.signed)}`,
        `open ${placeOf(one)} ${hex(one.frame)}`,
      ]),
    )
    expect(sealed).toEqual(frames.map(({ frame }) => [{ frame }, { opened: 'open' }]))
  })

  it('sb/1 5.3: refuses the frames that frame.json has refused', () => {
    const { refused } = frameVectors
    const opened = c.run(refused.map((one) => [`open ${placeOf({ ...one, kind: 'ack' })} ${hex(one.frame)}`]))
    const reasons = opened.map(([answer], index) => [refused[index]?.why, answer?.opened])
    expect(reasons).toEqual(refused.map(({ why }) => [why, expect.stringMatching(/^(no|bad)_mac$/)]))
  })

  it('does in every case of acceptance.json what the case says', () => {
    const { cases } = acceptanceVectors
    const printed = c.run(cases.map(linesOf))
    const outcomes = cases.map((one, index) => [one.name, outcomeOf(printed[index] ?? [], one.before)])
    expect(outcomes).toEqual(cases.map((one) => [one.name, expectedOf(one)]))
  })

  it('sb/1 5.3: does nothing at all about a frame whose MAC does not verify', () => {
    const bytes = fc.sample(fc.uint8Array({ maxLength: 600 }), { numRuns: 1_000, seed: 1 })
    const forged = mangled(acceptanceVectors.cases, 1_000).map(
      (text) => `${text},"mac":"AAAAAAAAAAAAAAAAAAAAAA"}`,
    )
    const printed = c.run([...bytes, ...forged].map((frame) => [...SETUP, `frame ${hex(frame)}`]))
    expect(printed).toHaveLength(2_000)
    for (const lines of printed)
      expect(lines).toEqual([{ event: 'ignored', reason: expect.stringMatching(/^(no|bad)_mac$/) }])
  })

  it('sb/1 9.1: reads what the hub has sealed just as our own reader does, however it is mangled', () => {
    const { cases } = acceptanceVectors
    const frames = [...mangled(cases, 1_500), ...misshapen(cases, 3_000)].filter(isComparable).map(seal)
    const printed = c.run(frames.map((frame) => [...SETUP, `frame ${hex(frame)}`]))
    const verdicts = frames.map((frame, index) => [frame.toString(), printedVerdict(printed[index] ?? [])])
    expect(verdicts).toEqual(frames.map((frame) => [frame.toString(), verdictOf(frame)]))
    // The mutations reach every outcome, not the first check alone.
    const reached = new Set(verdicts.map(([, verdict]) => verdict))
    expect([...reached]).toEqual(expect.arrayContaining(['bad_json', 'command', 'malformed', 'unsupported']))
  })

  it('sb/1 7.5, sb/1 12.2: speaks nothing twice, and nothing unwritten, whatever the hub sends and whenever the power fails', () => {
    for (const printed of c.run(lives(400))) {
      const spoken = spokenIn(printed)
      expect(spoken).toEqual([...new Set(spoken)].sort((a, b) => Number(a) - Number(b)))
      expect(spoken).not.toContain(undefined)
      for (const n of playedIn(printed)) expect(spoken).toContain(n)
    }
  })

  it.each([...REKEYS, ...UPDATES, ...SCENARIOS])('$name', ({ lines, does }) => {
    expect(c.run([[...SETUP, ...lines]]).map(briefly)).toEqual([does])
  })

  it('sb/1 9.3: reads texts at the edges of JSON as they are meant', () => {
    const printed = c.run(TEXTS.map(({ lines }) => [...SETUP, ...lines]))
    const verdicts = printed.map((lines, index) => [TEXTS[index]?.name, ...briefly(lines).slice(0, 1)])
    expect(verdicts).toEqual(TEXTS.map(({ name, does }) => [name, ...does]))
  })

  it('keeps the clips of each sentence together, in whatever order they arrive', () => {
    const say = (n: number, clips: string) =>
      sealed('announce', n, `{"amount":"5","currency":"VND","lang":"vi","clips":"${clips}"}`)
    const [printed = []] = c.run([
      [...SETUP, say(50, 'dong 1 2'), say(53, 'dong 3'), say(51, 'dong 4 5'), say(52, 'dong 6 7 8'), 'state'],
    ])
    const { sounds } = Object(printed.at(-1)?.state)
    expect(sounds.map(({ n, text }: { n: number; text: string }) => [n, text])).toEqual([
      [50, 'Đồng một hai'],
      [51, 'Đồng bốn năm'],
      [52, 'Đồng sáu bảy tám'],
      [53, 'Đồng ba'],
    ])
  })

  it('shows a name as its escapes mean it, and no half characters', () => {
    const printed = c.run(NAMES.map(({ lines }) => [...SETUP, ...lines]))
    const shown = printed.map((lines) => lines.find(({ event }) => event === 'profile')?.name)
    expect(shown).toEqual(NAMES.map((name) => name.shown))
  })

  it('sb/1 6.2: says every sentence of clips.json in its words', () => {
    const { amounts } = clipVectors
    const printed = c.run(
      amounts.map(({ lang, clips }) => [
        ...SETUP,
        `sound announce ${'0'.repeat(26)} 1 1 1 ${lang} ${clips.replaceAll(' ', ',')}`,
        'state',
      ]),
    )
    const texts = printed.map(([line]) => Object(line?.state).sounds[0].text)
    expect(texts).toEqual(amounts.map(({ text }) => text))
  })

  describe('its store in flash', () => {
    let printed: Record<string, unknown>[]
    beforeAll(() => {
      const { status, stdout, stderr } = spawnSync(c.powerCuts, { encoding: 'utf8' })
      expect([status, stderr]).toEqual([0, ''])
      const lines = stdout.trim().split('\n')
      printed = lines.map((line) => Object(JSON.parse(line)))
    })

    it('sb/1 12.3: reads the old or the new record after a power cut at every step, on every kind of flash', () => {
      const flashes = printed.filter(({ flash }) => flash !== undefined)
      expect(new Set(flashes.map(({ unitBytes }) => unitBytes))).toEqual(new Set([1, 2, 4, 8, 16, 32]))
      expect(flashes.map(({ wrong }) => wrong)).toEqual(Array(13).fill(0))
      for (const { cuts, old, new: newer } of flashes) expect(Number(old) + Number(newer)).toBe(cuts)
      // The cuts reach both outcomes, and most lives have an erase.
      expect(flashes.filter((one) => Number(one.new) > 50)).toHaveLength(10)
      expect(flashes.filter(({ erases }) => erases !== 0)).toHaveLength(12)
    })

    it('skips a page that fails, keeps the last value when the flash is worn out, and counts the erases', () => {
      const worn = (name: string) => printed.find(({ wornOut }) => wornOut === name)
      const erases = Number(worn('nothing')?.erases)
      for (const name of ['nothing', 'erase of one page', 'one page', 'one page, unreported']) {
        const counted = Number(worn(name)?.erases)
        expect(worn(name)).toMatchObject({ state: 'read', isLast: true, written: 1_000 })
        expect(worn(name)?.wear).toBe(Math.ceil(counted / 3))
        if (name.startsWith('one page')) expect(counted).toBeGreaterThan(1.4 * erases)
        else expect(counted).toBe(erases)
      }
      expect(worn('erase of both pages')).toMatchObject({ state: 'read', isLast: true })
      expect(worn('all')).toMatchObject({ state: 'read', isLast: true, written: 0 })
    })

    it('sb/1 12.4, sb/1 12.5: starts as new after any number of cut first starts, but not if a record is lost', () => {
      expect(printed.slice(-2)).toEqual([
        { firstStartsCut: 20, start: 'blank' },
        {
          ...{ blank: 'blank', written: 'read', bitsFlipped: 'damaged', zeros: 'damaged' },
          ...{ unreadable: 'damaged', firstUnreadable: 'damaged', notWritable: 'broken', noFlash: 'broken' },
        },
      ])
    })
  })

  it('sb/1 13.1, sb/1 13.2: waits 1 to 60 s with full jitter before it connects again, and 15 minutes after a refusal', () => {
    const ask = (failures: number, why: string, random: number) => `retry ${failures} ${why} ${random}`
    const ceilings = [1, 2, 3, 4, 5, 6, 7, 100].flatMap((n) => [
      ask(n, 'lost', 0),
      ask(n, 'lost', 0xffff_ffff),
    ])
    const [lost, refused] = c.run([ceilings, [ask(1, 'refused', 0), ask(9, 'refused', 0xffff_ffff)]])
    expect(lost?.map(({ retryMs }) => retryMs)).toEqual(
      [1, 2, 4, 8, 16, 32, 60, 60].flatMap((seconds) => [0, seconds * 1_000 - 1]),
    )
    expect(refused?.map(({ retryMs }) => retryMs)).toEqual([900_000, 1_199_999])
  })
})

/** Whose frame it is, which way, as the words of `seal` and `open`. */
function placeOf(one: {
  serial: string
  sid: string
  direction: 'down' | 'up'
  kind: string | null
}): string {
  const key = frameVectors.keys.find(({ serial }) => serial === one.serial)?.key
  return [key, one.serial, one.sid, one.direction === 'down' ? '-' : one.kind].join(' ')
}
