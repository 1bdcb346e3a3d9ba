import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Printed } from '../../../protocol/c/build.ts'
import { acceptanceVectors, clipVectors, frameVectors } from '../../../protocol/vectors.ts'
import { expectedOf, linesOf, outcomeOf } from './acceptance.ts'
import { lives, playedIn, spokenIn } from './exactly-once.ts'
import {
  isComparable,
  mangled,
  misshapen,
  printedVerdict,
  SERIAL,
  SETUP,
  SID,
  seal,
  verdictOf,
} from './fuzz.ts'
import { REKEYS } from './rekeys.ts'
import { briefly, SCENARIOS, sealed } from './scenarios.ts'
import { NAMES, TEXTS } from './texts.ts'
import { UPDATES } from './updates.ts'

const hex = (text: string | Uint8Array) => Buffer.from(text).toString('hex') || '-'

/**
 * The tests of the core on vectors, for each machine that it is built for. `run` is that of `CDevice`; `share` says how
 * many of the random cases run.
 */
export function testCore(run: (cases: string[][]) => Printed[][], share = 1) {
  const some = (cases: number) => Math.ceil(cases * share)

  it('sb/1 2.2, sb/1 2.5, sb/1 5.2: derives the keys of frame.json and their proofs, seals its frames byte for byte and opens them', () => {
    const { keys, frames } = frameVectors
    const derived = run(keys.map(({ key, serial }) => [`derive ${key} ${serial}`]))
    expect(derived).toEqual(
      keys.map(({ loginHex, downHex, upHex, password, proof }) => [
        { login: loginHex, down: downHex, up: upHex, password, proof },
      ]),
    )
    const sealed = run(
      frames.map((one) => [
        `seal ${placeOf(one)} ${hex(one.signed)}`,
        `open ${placeOf(one)} ${hex(one.frame)}`,
      ]),
    )
    expect(sealed).toEqual(frames.map(({ frame }) => [{ frame }, { opened: 'open' }]))
  })

  it('hashes keys and texts of every length as Node.js does', () => {
    const cases = Array.from({ length: 301 }, (_, length) => {
      const key = Buffer.alloc([32, 0, 1, 63, 64, 65, 131][length % 7] ?? 0, length)
      const text = Buffer.from(Array.from({ length }, (__, index) => (index * 7 + length) % 256))
      return { key, text, split: length % 3 === 0 ? 0 : length >> 1 }
    })
    const printed = run([
      cases.map(
        ({ key, text, split }) =>
          `hmac ${hex(key)} ${hex(text.subarray(0, split))} ${hex(text.subarray(split))}`,
      ),
    ])
    const macs = cases.map(({ key, text }) => createHmac('sha256', key).update(text).digest('hex'))
    expect(printed).toEqual([macs.map((mac) => ({ mac, done: true }))])
  })

  it('sb/1 5.3: refuses the frames that frame.json has refused', () => {
    const { refused } = frameVectors
    const opened = run(refused.map((one) => [`open ${placeOf({ ...one, kind: 'ack' })} ${hex(one.frame)}`]))
    const reasons = opened.map(([answer], index) => [refused[index]?.why, answer?.opened])
    expect(reasons).toEqual(refused.map(({ why }) => [why, expect.stringMatching(/^(no|bad)_mac$/)]))
  })

  it('does in every case of acceptance.json what the case says', () => {
    const { cases } = acceptanceVectors
    const printed = run(cases.map(linesOf))
    const outcomes = cases.map((one, index) => [one.name, outcomeOf(printed[index] ?? [], one.before)])
    expect(outcomes).toEqual(cases.map((one) => [one.name, expectedOf(one)]))
  })

  it('sb/1 5.3: does nothing at all about a frame whose MAC does not verify', () => {
    const bytes = fc.sample(fc.uint8Array({ maxLength: 600 }), { numRuns: some(1_000), seed: 1 })
    const forged = mangled(acceptanceVectors.cases, some(1_000)).map(
      (text) => `${text},"mac":"AAAAAAAAAAAAAAAAAAAAAA"}`,
    )
    const printed = run([...bytes, ...forged].map((frame) => [...SETUP, `frame ${hex(frame)}`]))
    expect(printed).toHaveLength(2 * some(1_000))
    for (const lines of printed)
      expect(lines).toEqual([{ event: 'ignored', reason: expect.stringMatching(/^(no|bad)_mac$/) }])
  })

  it('sb/1 9.1: reads what the hub has sealed just as our own reader does, however it is mangled', () => {
    const { cases } = acceptanceVectors
    const frames = [...mangled(cases, some(1_500)), ...misshapen(cases, some(3_000))]
      .filter(isComparable)
      .map(seal)
    const printed = run(frames.map((frame) => [...SETUP, `frame ${hex(frame)}`]))
    const verdicts = frames.map((frame, index) => [frame.toString(), printedVerdict(printed[index] ?? [])])
    expect(verdicts).toEqual(frames.map((frame) => [frame.toString(), verdictOf(frame)]))
    // The mutations reach every outcome, not the first check alone.
    const reached = new Set(verdicts.map(([, verdict]) => verdict))
    expect([...reached]).toEqual(expect.arrayContaining(['bad_json', 'command', 'malformed', 'unsupported']))
  })

  it('sb/1 7.5, sb/1 12.2: speaks nothing twice, and nothing unwritten, whatever the hub sends and whenever the power fails', () => {
    for (const printed of run(lives(some(400)))) {
      const spoken = spokenIn(printed)
      expect(spoken).toEqual([...new Set(spoken)].sort((a, b) => Number(a) - Number(b)))
      expect(spoken).not.toContain(undefined)
      for (const n of playedIn(printed)) expect(spoken).toContain(n)
    }
  })

  it.each([...REKEYS, ...UPDATES, ...SCENARIOS])('$name', ({ lines, does }) => {
    expect(run([[...SETUP, ...lines]]).map(briefly)).toEqual([does])
  })

  it('sb/1 9.3: reads texts at the edges of JSON as they are meant', () => {
    const printed = run(TEXTS.map(({ lines }) => [...SETUP, ...lines]))
    const verdicts = printed.map((lines, index) => [TEXTS[index]?.name, ...briefly(lines).slice(0, 1)])
    expect(verdicts).toEqual(TEXTS.map(({ name, does }) => [name, ...does]))
  })

  it('keeps the clips of each sentence together, in whatever order they arrive', () => {
    const say = (n: number, clips: string) =>
      sealed('announce', n, `{"amount":"5","currency":"VND","lang":"vi","clips":"${clips}"}`)
    const [printed = []] = run([
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
    const printed = run(NAMES.map(({ lines }) => [...SETUP, ...lines]))
    const shown = printed.map((lines) => lines.find(({ event }) => event === 'profile')?.name)
    expect(shown).toEqual(NAMES.map((name) => name.shown))
  })

  it('sb/1 6.3: keeps the texts of a profile and of a QR that fill the receive buffer, and takes no byte more', () => {
    const setup = [String(SETUP[0]).replace(SERIAL, 'S001'), `session ${SID} welcomed 1 0 0 0`]
    const command = (t: string, d: string) =>
      `{"t":"${t}","id":"${'0'.repeat(26)}","n":1,"at":0,"ttl":0,"d":{${d}}`
    const profile = ([name = '', qr = '']: string[]) => command('profile', `"name":"${name}","qr":"${qr}"`)
    const bill = ([qr = '', number = '']: string[]) =>
      command('qr', `"qr":"${qr}","amount":"1","bill":"${number}","exp":0`)
    // Header, topic, packet id and MAC.
    const roomOf = (empty: string) => 512 - 5 - 'sb/1/S001/down'.length - 2 - empty.length - 32
    const [ofProfile, ofBill] = [roomOf(profile([])), roomOf(bill([]))]
    const drinks = (count: number) => '🧋'.repeat(count)
    const profiles = [
      ['', 'x'.repeat(ofProfile)],
      [drinks(64), 'x'.repeat(ofProfile - 256)],
      [`${drinks(ofProfile >> 2)}${'x'.repeat(ofProfile % 4)}`, ''],
    ]
    const bills = [
      ['x'.repeat(ofBill), ''],
      ['x'.repeat(ofBill - 256), drinks(64)],
    ]
    const lines = [...profiles.map(profile), ...bills.map(bill)]
    const kept = run(lines.map((line) => [...setup, `sealed ${hex(line)}`, 'state'])).map((printed) => {
      const { hasProfile, name, staticQr, hasQr, qr, qrBill } = Object(printed.at(-1)?.state)
      return hasProfile ? [name, staticQr] : [hasQr && qr, qrBill]
    })
    expect(kept).toEqual([...profiles, ...bills])
    const longer = run(lines.map((line) => [...setup, `sealed ${hex(line.replace('"d"', ' "d"'))}`]))
    for (const printed of longer) expect(briefly(printed)[0]).toBe('failed 1 too_large')
  })

  it('sb/1 6.2: says every sentence of clips.json in its words', () => {
    const { amounts } = clipVectors
    const printed = run(
      amounts.map(({ lang, clips }) => [
        ...SETUP,
        `sound announce ${'0'.repeat(26)} 1 1 1 ${lang} ${clips.replaceAll(' ', ',')}`,
        'state',
      ]),
    )
    const texts = printed.map(([line]) => Object(line?.state).sounds[0].text)
    expect(texts).toEqual(amounts.map(({ text }) => text))
  })

  it('sb/1 13.1, sb/1 13.2: waits 1 to 60 s with full jitter before it connects again, and 15 minutes after a refusal', () => {
    const ask = (failures: number, why: string, random: number) => `retry ${failures} ${why} ${random}`
    const ceilings = [1, 2, 3, 4, 5, 6, 7, 100].flatMap((n) => [
      ask(n, 'lost', 0),
      ask(n, 'lost', 0xffff_ffff),
    ])
    const [lost, refused] = run([ceilings, [ask(1, 'refused', 0), ask(9, 'refused', 0xffff_ffff)]])
    expect(lost?.map(({ retryMs }) => retryMs)).toEqual(
      [1, 2, 4, 8, 16, 32, 60, 60].flatMap((seconds) => [0, seconds * 1_000 - 1]),
    )
    expect(refused?.map(({ retryMs }) => retryMs)).toEqual([900_000, 1_199_999])
  })
}

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
