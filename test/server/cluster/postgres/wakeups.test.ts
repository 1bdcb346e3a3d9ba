import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { wakeChannels } from '../../../../server/cluster/postgres/wakeups/channels.ts'
import { parsePayload } from '../../../../server/cluster/postgres/wakeups/payload.ts'
import { NotifyWakeups } from '../../../../server/cluster/postgres/wakeups/wakeups.ts'
import { createVault } from '../../../../server/security/vault.ts'
import { createVirtualClock, settle } from '../../../support/clock.ts'

const HERE = randomUUID()
const THERE = randomUUID()

function hub() {
  const clock = createVirtualClock()
  const state = { isCut: false, answer: Promise.resolve() }
  const sent: string[][] = []
  const counted: string[] = []
  const heard: unknown[][] = []
  const wakeups = new NotifyWakeups({
    ...{ hub: HERE, clock },
    async send(payloads) {
      if (state.isCut) throw new Error('the connection is lost')
      sent.push(payloads)
      await state.answer
    },
    count: (kind, direction) => void counted.push(`${direction} ${kind}`),
  })
  const end = wakeups.onWake((...args) => void heard.push(args))
  return { clock, state, sent, counted, heard, wakeups, end }
}

const someIds = (count: number) => Array.from({ length: count }, () => randomUUID())
const idsOf = (payloads: string[]) => payloads.flatMap((payload) => parsePayload(payload)?.deviceIds ?? [])

it('sends what comes within 2 ms together, each device once for a kind', async () => {
  const { clock, sent, counted, wakeups } = hub()
  wakeups.wake('news', ['a'])
  await clock.wind(1)
  wakeups.wake('news', ['b', 'a'])
  wakeups.wake('screen', ['a'])
  wakeups.wake('owner', [])
  expect(sent).toEqual([])
  await clock.wind(1)
  expect(sent).toEqual([[`${HERE} news a b`, `${HERE} screen a`]])
  expect(counted).toEqual(['sent news', 'sent screen'])
  await clock.wind(100)
  wakeups.wake('news', ['a'])
  await clock.wind(2)
  expect(sent.slice(1)).toEqual([[`${HERE} news a`]])
})

it('divides many devices into payloads that PostgreSQL takes', async () => {
  const { clock, sent, wakeups } = hub()
  const ids = someIds(2_000)
  wakeups.wake('missed', ids)
  await clock.wind(2)
  const [payloads = []] = sent
  expect(payloads).toHaveLength(10)
  expect(Math.max(...payloads.map((payload) => Buffer.byteLength(payload)))).toBeLessThan(8_000)
  expect(idsOf(payloads)).toEqual(ids)
})

it('wakes all devices for more than ten payloads', async () => {
  const { clock, sent, wakeups } = hub()
  for (const id of someIds(3_000)) wakeups.wake('missed', [id])
  wakeups.wake('news', ['a'])
  await clock.wind(2)
  expect(sent).toEqual([[`${HERE} missed`, `${HERE} news a`]])
  expect(parsePayload(`${HERE} missed`)).toEqual({ hub: HERE, kind: 'missed', deviceIds: undefined })
})

it('keeps what it could not send for the next wake-up, or for the next connection', async () => {
  const { clock, state, sent, heard, counted, wakeups } = hub()
  state.isCut = true
  wakeups.wake('silence', ['a'])
  await clock.wind(2)
  wakeups.wake('silence', ['b'])
  for (const id of someIds(3_000)) wakeups.wake('news', [id])
  await clock.wind(1_000)
  expect([sent, heard, counted]).toEqual([[], [], []])
  state.isCut = false
  wakeups.reconnected()
  await settle()
  expect(sent).toEqual([[`${HERE} silence a b`, `${HERE} news`]])
  expect(heard).toEqual([['everything', undefined]])
  wakeups.reconnected()
  await settle()
  expect(sent).toHaveLength(1)
})

it('goes on after a connection for which nothing waited', async () => {
  const { clock, sent, wakeups } = hub()
  wakeups.reconnected()
  await settle()
  wakeups.wake('news', ['a'])
  await clock.wind(2)
  expect(sent).toEqual([[`${HERE} news a`]])
})

it('goes on after a wake-up that went with the one before it', async () => {
  const { clock, state, sent, wakeups } = hub()
  const { promise, resolve } = Promise.withResolvers<void>()
  state.answer = promise
  wakeups.wake('news', ['a'])
  await clock.wind(2)
  wakeups.wake('news', ['b'])
  resolve()
  await settle()
  await clock.wind(2)
  wakeups.wake('news', ['c'])
  await clock.wind(2)
  expect(sent).toEqual([[`${HERE} news a`], [`${HERE} news b`], [`${HERE} news c`]])
})

it('hears other hubs, and ignores itself and what it does not understand', () => {
  const { counted, heard, wakeups, end } = hub()
  wakeups.heard(`${THERE} news a b`)
  wakeups.heard(`${THERE} everything`)
  for (const payload of [
    '',
    ' ',
    `${HERE} news a`,
    `${THERE}`,
    `${THERE} later a`,
    `${THERE} news `,
    '{"kind":"news"}',
  ])
    wakeups.heard(payload)
  expect(heard).toEqual([
    ['news', ['a', 'b']],
    ['everything', undefined],
  ])
  expect(counted).toEqual(['heard news', 'heard everything'])
  end()
  wakeups.heard(`${THERE} news a`)
  expect(heard).toHaveLength(2)
})

it('looks at what comes in a loop a few times only, and at every device of it', async () => {
  const { clock, heard, wakeups } = hub()
  const ids = someIds(1_000)
  for (const id of ids) {
    wakeups.heard(`${THERE} news ${id}`)
    wakeups.heard(`${THERE} screen ${ids[0]}`)
    await clock.wind(1)
  }
  await clock.wind(20)
  const of = (kind: string) => heard.filter(([one]) => one === kind)
  expect(new Set(of('news').flatMap(([, devices]) => devices))).toEqual(new Set(ids))
  // Each 20 ms of a second.
  expect(of('news').length).toBeLessThanOrEqual(52)
  expect(of('screen').length).toBeLessThanOrEqual(52)
  heard.length = 0
  wakeups.heard(`${THERE} news ${ids[0]}`)
  expect(heard).toEqual([['news', [ids[0]]]])
})

it('looks at all devices once a second at most', async () => {
  const { clock, heard, wakeups } = hub()
  for (let ms = 0; ms < 3_000; ms += 10) {
    wakeups.heard(`${THERE} everything`)
    await clock.wind(10)
  }
  await clock.wind(1_000)
  expect(heard.length).toBeGreaterThanOrEqual(3)
  expect(heard.length).toBeLessThanOrEqual(5)
})

it('has a channel that follows from the master key, and hears hubs that know one of two keys', () => {
  const [first, second] = [1, 2].map((byte) => Buffer.alloc(32, byte))
  if (!first || !second) throw new Error('there are two')
  const [old, next] = [wakeChannels(createVault(first)), wakeChannels(createVault(second))]
  expect(old).not.toEqual(next)
  expect(old[0]).toMatch(/^hub_[0-9a-f]{48}$/)
  const both = createVault(first, second)
  expect(wakeChannels(both)).toEqual([...old, ...next])
  const [, nextId = ''] = both.keyIds
  both.sealUnder(nextId)
  expect(wakeChannels(both)).toEqual([...next, ...old])
})
