import { beforeAll, describe, expect, it } from 'vitest'
import type { AcceptanceCase } from '../../../protocol/generate/formats/acceptance.ts'
import { type CCore, missingForCore, smallestCCore } from '../../protocol/c/build.ts'
import { acceptanceVectors } from '../../protocol/vectors.ts'
import { expectedOf, linesOf, outcomeOf } from './c/acceptance.ts'
import { SETUP } from './c/fuzz.ts'
import { briefly, sealed } from './c/scenarios.ts'

const LEFT_OUT = ['code', 'profile', 'missed', 'clear', 'qr', 'rekey', 'update']

const DARK = { code: null, qr: null, profile: null, missed: null }

/** A case as a device without a screen has it: nothing is shown before, within and after the event. */
function inTheDark(one: AcceptanceCase): AcceptanceCase {
  const effects = one.effects.filter((effect) => !/^(show_|clear$)/.test(effect.do))
  return { ...one, before: { ...one.before, ...DARK }, effects, after: { ...one.after, ...DARK } }
}

/** Whether a case is about what this build has. Its birth has other `caps`. */
function applies({ before, event }: AcceptanceCase): boolean {
  return before.nextKey === null && event.type !== 'suback' && !LEFT_OUT.includes(typeOf(event))
}

function typeOf(event: AcceptanceCase['event']): string {
  const frame = event.type === 'frame' ? Buffer.from(event.frameBase64, 'base64').toString() : ''
  return /"t":"(\w+)"/.exec(frame)?.[1] ?? ''
}

describe.skipIf(missingForCore() !== undefined)('the smallest build of the core in C', () => {
  let c: CCore
  beforeAll(async () => {
    c = await smallestCCore()
  })

  it('does in every case of acceptance.json what the case says, without the screen, updates and new keys', () => {
    const cases = acceptanceVectors.cases.filter(applies).map(inTheDark)
    const printed = c.run(cases.map(linesOf))
    const outcomes = cases.map((one, index) => [one.name, outcomeOf(printed[index] ?? [], one.before)])
    expect(outcomes).toEqual(cases.map((one) => [one.name, expectedOf(one)]))
    const reached = new Set(cases.map(({ event }) => (event.type === 'frame' ? typeOf(event) : event.type)))
    expect([...reached]).toEqual(
      expect.arrayContaining(['announce', 'identify', 'settings', 'welcome', 'sound_end']),
    )
  })

  it.each(LEFT_OUT)('sb/1 7.17: refuses %s, which this build lacks', (t) => {
    const [printed = []] = c.run([[...SETUP.slice(0, 2), sealed(t, 50, '{}')]])
    expect(briefly(printed)).toEqual(['failed 50 unsupported', 'ack 50 failed unsupported'])
  })

  it('sb/1 8.1: names in its birth only what the build has', () => {
    const [printed = []] = c.run([[...SETUP.slice(0, 1), 'connect', 'suback']])
    const birth = printed.find(({ send }) => send === 'birth')
    expect(JSON.parse(String(birth?.frame)).caps).toEqual(['speaker'])
  })
})
