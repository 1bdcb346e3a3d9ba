import fc from 'fast-check'
import type { Printed } from '../../../protocol/c/build.ts'
import { SETUP } from './fuzz.ts'

/** Lives of a device whose hub keeps no promise, and whose plug is pulled. */

const FIRST_N = 1_000
const NOW = 1_763_678_400
const hex = (text: string) => Buffer.from(text).toString('hex')

type Act = { act: 'announce' | 'repeat'; which: number; ttl: number } | { act: string; later: number }

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ act: fc.constant('announce' as const), which: fc.nat(), ttl: fc.nat(20) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ act: fc.constant('repeat' as const), which: fc.nat(), ttl: fc.nat(20) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constantFrom('sound-end', 'sound-end', 'sound-break', 'power-cut', 'closed', 'puback-all'),
      later: fc.nat(8),
    }),
  },
)

/** Lives as lines for vectors.c; after every act the device is in a session again. The same in every run. */
export function lives(count: number): string[][] {
  return fc.sample(fc.array(act, { maxLength: 50 }), { numRuns: count, seed: 20_261_120 }).map((acts) => {
    let clock = NOW
    let highest = FIRST_N
    const lines = acts.flatMap((one) => {
      if ('later' in one) {
        clock += one.later
        return [one.act, `session 9f86d081884c7d65 welcomed 01JD3Z8Q6X9V5T7M2K4N8P0018 ${clock} 0 0`]
      }
      const n = one.act === 'announce' ? ++highest : FIRST_N + (one.which % (highest - FIRST_N + 1))
      return [`sealed ${hex(announcement(n, clock, one.ttl))}`]
    })
    return [...SETUP, ...lines]
  })
}

function announcement(n: number, at: number, ttl: number): string {
  const id = `00000000000000000000${n.toString().padStart(6, '0')}`
  const d = '{"amount":"50000","currency":"VND","lang":"vi","clips":"da-nhan 5 muoi nghin dong"}'
  return `{"t":"announce","id":"${id}","n":${n},"at":${at},"ttl":${ttl},"d":${d}`
}

/** The numbers that were spoken; undefined where the one spoken was not the last thing that was kept before. */
export function spokenIn(printed: Printed[]): (number | undefined)[] {
  let kept: unknown
  return printed.flatMap(({ event, keep, n }) => {
    if (keep !== undefined) kept = Object(keep).played
    if (event !== 'announce') return []
    return [n === kept ? Number(n) : undefined]
  })
}

/** The numbers that were acked as played for the first time. */
export function playedIn(printed: Printed[]): number[] {
  return printed.flatMap(({ send, frame }) => {
    const { n, st, dup } = send === 'ack' ? JSON.parse(String(frame)) : {}
    return st === 'played' && !dup ? [Number(n)] : []
  })
}
