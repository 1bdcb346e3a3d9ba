import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Conditions } from '../../../../simulator/run/fleet/run/conditions.ts'
import type { Speaker } from '../../../../simulator/speaker/speaker.ts'
import { randomFrom } from '../../../support/random.ts'
import { WoundClock } from '../../support/wound-clock.ts'
import { standInRun } from './stand-in.ts'

const deps = () => ({ clock: new WoundClock(), random: randomFrom(1) })

it('spreads each share evenly over the fleet', () => {
  const conditions = new Conditions({ faults: { mute: 0.5 }, networks: { flapping: 0.1 } }, deps())
  const { mute = 0, flapping = 0 } = conditions.counts(1_000)
  expect(mute).toBe(500)
  expect(Math.abs(flapping - 100)).toBeLessThanOrEqual(2)
  const muted = (from: number) =>
    Array.from({ length: 10 }, (_, index) => conditions.faultsOf(from + index)).flat().length
  for (const from of [0, 7, 500]) expect(muted(from)).toBe(5)
})

it('gives no speaker two faults, as long as they are not more than all', () => {
  const share = fc.double({ min: 0.01, max: 0.5, noNaN: true })
  fc.assert(
    fc.property(share, share, fc.nat(20_000), (mute, acks, index) => {
      const faults = { mute, 'drop-acks': acks }
      expect(new Conditions({ faults, networks: {} }, deps()).faultsOf(index).length).toBeLessThan(2)
    }),
  )
})

it('begins with the faults when it is told to, breaks lines, and mends them at the end', () => {
  const { clock, random } = deps()
  const conditions = new Conditions(
    { faults: { 'broken-audio': 1 }, networks: { '2g': 0.5, flapping: 0.5 } },
    { clock, random },
  )
  const did: string[] = []
  const speakers = standInRun(3, clock).fleet.speakers.map(
    (speaker, index): Speaker =>
      Object.assign(Object.create(speaker), {
        setFault: (fault: string) => did.push(`${index} ${fault}`),
        cutNetwork: async () => void did.push(`${index} cut`),
        start: () => void did.push(`${index} start`),
      }),
  )
  expect(conditions.configOf(0)).toEqual({ slowLinkMs: { least: 150, most: 600 } })
  expect(conditions.configOf(2)).toEqual({})
  conditions.begin(speakers)
  expect(did).toEqual([
    ...['0 broken-audio', '0 slow-link', '1 broken-audio', '1 slow-link', '2 broken-audio'],
  ])
  did.length = 0
  clock.wind(60_000)
  clock.wind(10_000)
  expect(did).toEqual(['2 cut', '2 start'])
  for (let second = 0; second < 60 && did.at(-1) !== '2 cut'; second += 1) clock.wind(1_000)
  expect(did.at(-1)).toBe('2 cut')
  expect(conditions.endFlapping()).toEqual([2])
  expect(did.at(-1)).toBe('2 start')
  const before = did.length
  clock.wind(600_000)
  expect(did).toHaveLength(before)
})
