import { expect, it } from 'vitest'
import { problemOf, Roster } from '../../../../simulator/run/fleet/model/roster.ts'
import { startMoments } from '../../../../simulator/run/fleet/run/ramp.ts'
import type { SpeakerEvent } from '../../../../simulator/speaker/device/state/speaker-events.ts'
import { randomFrom } from '../../../support/random.ts'

const ANNOUNCE = {
  event: 'announce',
  n: 1,
  amount: '50000',
  currency: 'VND',
  text: '',
  lang: 'vi',
  clips: '',
} as const

function rosterOf(...serials: string[]) {
  const roster = new Roster(serials)
  const happens = (index: number, event: SpeakerEvent, atMs = 0) =>
    roster.on(index, { atMs, kind: 'event', event })
  const sends = (index: number, packet: string, atMs = 0) =>
    roster.on(index, { atMs, kind: 'packet', note: { direction: 'out', packet } })
  return { roster, happens, sends }
}

it('counts each speaker in exactly one link state', () => {
  const { roster, happens, sends } = rosterOf('A', 'B', 'C')
  const links = () => Object.fromEntries(Object.entries(roster.totals.links).filter(([, count]) => count > 0))
  expect(links()).toEqual({ new: 3 })
  sends(0, 'connect', 1_000)
  roster.on(0, {
    atMs: 1_100,
    kind: 'packet',
    note: { direction: 'out', packet: 'publish', message: { topic: 'birth', bytes: 1, frame: '' } },
  })
  expect(links()).toEqual({ new: 2, born: 1 })
  happens(0, { event: 'connected', linked: true }, 1_250)
  sends(1, 'connect', 1_000)
  happens(2, { event: 'refused', code: 5, reason: '', retryInMs: 1 })
  expect(links()).toEqual({ connected: 1, connecting: 1, refused: 1 })
  happens(0, { event: 'disconnected', reason: '' })
  roster.settle(1, true)
  expect(links()).toEqual({ offline: 2, refused: 1 })
  happens(0, { event: 'power', on: false })
  happens(1, { event: 'broken', reason: '' })
  expect(links()).toEqual({ off: 1, broken: 1, refused: 1 })
})

it('measures each connect, and counts the welcomes after the first', () => {
  const { roster, happens, sends } = rosterOf('A')
  for (const atMs of [1_000, 9_000]) {
    sends(0, 'connect', atMs)
    happens(0, { event: 'connected', linked: false }, atMs + 40)
  }
  expect(roster.rows[0]).toMatchObject({ reconnects: 1, connectMs: 40, linked: false })
  expect(roster.totals).toMatchObject({ welcomed: 1, reconnects: 1 })
  expect(roster.connectTimes.percentiles()).toMatchObject({ count: 2, max: 40 })
})

it('remembers the most connected speakers, and since when none is', () => {
  const { roster, happens } = rosterOf('A', 'B')
  expect(roster.desertedAtMs).toBeUndefined()
  happens(0, { event: 'connected', linked: true }, 1_000)
  happens(1, { event: 'connected', linked: true }, 1_000)
  happens(0, { event: 'disconnected', reason: '' }, 2_000)
  expect(roster.desertedAtMs).toBeUndefined()
  happens(1, { event: 'disconnected', reason: '' }, 3_000)
  happens(1, { event: 'offline', reason: '', retryInMs: 1 }, 3_001)
  expect(roster.desertedAtMs).toBe(3_000)
  expect(roster.totals.mostConnected).toBe(2)
  happens(0, { event: 'connected', linked: true }, 4_000)
  expect(roster.desertedAtMs).toBeUndefined()
  expect(roster.totals.mostConnected).toBe(2)
})

it('counts speaking speakers, also when a power cut interrupts a sentence', () => {
  const { roster, happens } = rosterOf('A', 'B')
  happens(0, ANNOUNCE, 5_000)
  happens(1, ANNOUNCE, 5_000)
  expect(roster.totals).toMatchObject({ announced: 2, speaking: 2 })
  happens(0, { event: 'played', n: 1 })
  happens(1, { event: 'power', on: false })
  expect(roster.totals).toMatchObject({ played: 1, speaking: 0 })
  expect(roster.announcements.last(6_000, 1)).toEqual([2])
  expect(roster.rows[0]).toMatchObject({ lastAmount: '50000', announced: 1, played: 1 })
})

it('counts no sentence that a fault has stopped, and one beside which a command was refused', () => {
  const { roster, happens } = rosterOf('A', 'B')
  happens(0, ANNOUNCE)
  happens(1, ANNOUNCE)
  happens(0, { event: 'failed', t: 'announce', n: 1, rc: 'audio_failed' })
  happens(1, { event: 'failed', t: 'announce', n: 2, rc: 'no_clip' })
  expect([roster.isSpeaking(0), roster.isSpeaking(1), roster.totals.speaking]).toEqual([false, true, 1])
})

it.each(['code', 'payment', 'paid', 'qr', 'missed'] as const)(
  'keeps the notice of a speaker whose screen is %s',
  (screen) => {
    const { roster, happens } = rosterOf('A')
    happens(0, { event: 'missed', n: 9, count: 3, amount: '1' })
    roster.readNotices(() => screen)
    expect(roster.showsMissed(0)).toBe(true)
    roster.readNotices(() => 'idle')
    expect(roster.showsMissed(0)).toBe(false)
  },
)

it('names the worst problem of a speaker', () => {
  const { roster, happens } = rosterOf('A')
  const [row] = roster.rows
  if (!row) throw new Error('no row')
  expect(problemOf(row)).toBeUndefined()
  happens(0, { event: 'failed', t: 'announce', n: 1, rc: 'muted' })
  expect(problemOf(row)).toBe('muted')
  happens(0, { event: 'missed', n: 9, count: 3, amount: '1' })
  expect(problemOf(row)).toBe('missed 3')
  happens(0, { event: 'offline', reason: '', retryInMs: 1 })
  expect(problemOf(row)).toBe('offline')
})

it('starts its speakers at the requested rate, each at a moment in its own slot', () => {
  const moments = startMoments(1_000, 200, randomFrom(1))
  for (const [index, moment] of moments.entries()) expect(Math.floor(moment / 5)).toBe(index)
  expect(new Set(Array.from(moments, (moment) => moment % 5)).size).toBeGreaterThan(900)
})
