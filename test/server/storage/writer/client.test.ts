import { afterEach, describe, expect, it, vi } from 'vitest'
import { byPartner } from '../../../../server/security/actor.ts'
import { PATIENCE_MS } from '../../../../server/storage/acts/act.ts'
import { UNOBSERVED } from '../../../../server/storage/ports.ts'
import {
  AT_WRITER_LIMIT,
  BATCH_LIMIT,
  createWriterClient,
  LONG_AT_WRITER_LIMIT,
  OWNER_LIMIT,
  WAITING_LIMIT,
  type WriterClient,
  type WriterThread,
} from '../../../../server/storage/writer/client.ts'
import type { Call, FromWriter, ToWriter } from '../../../../server/storage/writer/wire.ts'
import { AT, ownerOf } from '../shop.ts'

/** A writer that answers nothing by itself, and the messages that it was sent. */
function silentWriter() {
  const sent: ToWriter[] = []
  let listener: (message: FromWriter) => void = () => undefined
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const thread: WriterThread = {
    postMessage: (message) => sent.push(message),
    on: (_event, listen) => {
      listener = listen
    },
    ended,
  }
  const client = createWriterClient(thread, UNOBSERVED)
  const nextNumber = (deviceId = 'device') => client.call('outbox.nextNumber', [ownerOf(deviceId)])
  const ack = () => client.call('outbox.recordAck', [{ ...STEP, deviceId: 'device' }, AT])
  const answer = (callId: number, value: unknown) => listener({ answers: [{ callId, value }], observed: [] })
  /** The devices of the calls that the writer was sent, in order, or what else their first argument names. */
  const devices = () =>
    sent
      .flatMap(callsOf)
      .map(({ args: [named] }) => Object(named).deviceId ?? Object(named).clientId ?? named)
  return { devices, client, nextNumber, ack, sent, end, answer }
}

const STEP = { announcementId: 'id', commandNumber: 1, stage: 'played', reason: undefined } as const
const EVENT = { seq: 1, eventId: 'evt_1', type: 'bill.paid' } as const
const turn = () => new Promise((resolve) => setImmediate(resolve))
const holdTimers = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
const callsOf = (message: ToWriter | undefined): Call[] => {
  if (message === undefined || message === 'close') return []
  return 'json' in message ? JSON.parse(message.json) : message
}
const callIdsOf = (message: ToWriter | undefined) => callsOf(message).map(({ callId }) => callId)

afterEach(() => vi.useRealTimers())

describe('calls to the writer', () => {
  it('leave together at the end of a turn, and earlier when a batch is full', async () => {
    const { nextNumber, sent } = silentWriter()
    for (let count = 1; count <= 3; count += 1) void nextNumber()
    expect(sent).toEqual([])
    await turn()
    expect(sent.map(callIdsOf)).toEqual([[1, 2, 3]])
    for (let count = 1; count <= BATCH_LIMIT + 1; count += 1) void nextNumber()
    expect(callIdsOf(sent[1])).toHaveLength(BATCH_LIMIT)
    await turn()
    expect(callIdsOf(sent[2])).toEqual([BATCH_LIMIT + 4])
  })

  it('wait for another one when they are acks: both leave together', async () => {
    holdTimers()
    const { ack, nextNumber, sent } = silentWriter()
    void ack()
    await turn()
    expect(sent).toEqual([])
    void nextNumber()
    await turn()
    expect(sent.map(callIdsOf)).toEqual([[1, 2]])
  })

  it('leave by themselves when nothing else is called', () => {
    holdTimers()
    const { ack, sent } = silentWriter()
    void ack()
    vi.advanceTimersByTime(PATIENCE_MS - 1)
    void ack()
    expect(sent).toEqual([])
    vi.advanceTimersByTime(1)
    expect(sent.map(callIdsOf)).toEqual([[1, 2]])
  })

  it('leave before the order to close when they are acks that wait for others', () => {
    const { client, ack, sent } = silentWriter()
    void ack()
    void client.close()
    expect(sent.map(callIdsOf)).toEqual([[1], []])
    expect(sent.at(-1)).toBe('close')
  })

  it('are refused beyond the limit of waiting calls, and accepted again after an answer', async () => {
    const { nextNumber, answer } = silentWriter()
    const first = nextNumber('owner 0')
    for (let count = 1; count < WAITING_LIMIT; count += 1) void nextNumber(`owner ${count % 10}`)
    await expect(nextNumber('another')).rejects.toMatchObject({ kind: 'UNAVAILABLE', retryAfterS: 1 })
    answer(1, 7)
    expect(await first).toBe(7)
    const next = nextNumber('another')
    answer(WAITING_LIMIT + 1, 8)
    expect(await next).toBe(8)
  })

  it('are refused beyond the limit of one owner, and accepted from all others', async () => {
    const { client, nextNumber, answer } = silentWriter()
    for (let count = 0; count < AT_WRITER_LIMIT + OWNER_LIMIT; count += 1) void nextNumber('flood')
    await expect(nextNumber('flood')).rejects.toMatchObject({ kind: 'UNAVAILABLE', retryAfterS: 1 })
    void nextNumber('quiet')
    answer(1, 1)
    void nextNumber('flood')
    expect(client.waiting()).toBe(AT_WRITER_LIMIT + OWNER_LIMIT + 1)
  })

  it('go to the writer from their owners in turn: a flood leaves another its place', async () => {
    const { nextNumber, answer, devices } = silentWriter()
    for (let count = 0; count < AT_WRITER_LIMIT + 1_000; count += 1) void nextNumber('flood')
    void nextNumber('quiet')
    await turn()
    expect(devices()).toEqual(Array(AT_WRITER_LIMIT).fill('flood'))
    for (const callId of [1, 2, 3]) answer(callId, callId)
    await turn()
    expect(devices().slice(AT_WRITER_LIMIT)).toEqual(['flood', 'quiet', 'flood'])
  })

  it('do not wait for acts of many commits, of which a few are at the writer at a time', async () => {
    const { client, nextNumber, answer, devices } = silentWriter()
    for (let count = 1; count <= AT_WRITER_LIMIT; count += 1)
      void client.call('outbox.begin', [ownerOf(`device ${count}`), AT])
    void nextNumber('quiet')
    await turn()
    const first = Array.from({ length: LONG_AT_WRITER_LIMIT }, (_, index) => `device ${index + 1}`)
    expect(devices()).toEqual([...first, 'quiet'])
    answer(AT_WRITER_LIMIT + 1, 1)
    answer(1, undefined)
    await turn()
    expect(devices().slice(first.length + 1)).toEqual([`device ${first.length + 1}`])
  })

  it('of one owner keep their order, whether they have to wait or not', async () => {
    const { client, sent, answer } = silentWriter()
    const ids = Array.from({ length: AT_WRITER_LIMIT + 100 }, (_, index) => `bill ${index}`)
    for (const id of ids) void client.call('settings.change', [byPartner('partner'), id, {}, AT])
    for (let callId = 1; callId <= 100; callId += 1) answer(callId, undefined)
    await turn()
    expect(sent.flatMap(callsOf).map(({ args }) => args[1])).toEqual(ids)
  })

  const askNumber = (client: WriterClient, owner: string) =>
    client.call('outbox.nextNumber', [ownerOf(owner)])
  const disable = (client: WriterClient, owner: string) =>
    client.call('partners.disable', [byPartner(owner), owner, AT])
  it.each<[named: string, ask: typeof askNumber | typeof disable, call: (client: WriterClient) => unknown]>([
    ['a partner', disable, (client) => client.call('settings.change', [byPartner('p'), 'SPK-1', {}, AT])],
    ['a device', askNumber, (client) => client.call('outbox.recordAck', [{ ...STEP, deviceId: 'p' }, AT])],
    ['a text', disable, (client) => client.call('webhooks.replay', ['p', EVENT, AT])],
  ])('belong to %s that the first argument names', async (_, ask, call) => {
    const { client, answer, sent } = silentWriter()
    for (let count = 0; count < AT_WRITER_LIMIT; count += 1) void ask(client, 'flood')
    for (let count = 0; count < 3; count += 1) void ask(client, 'p')
    void call(client)
    for (let count = 0; count < 3; count += 1) void ask(client, 'q')
    for (let callId = 1; callId <= 7; callId += 1) answer(callId, undefined)
    await turn()
    const order = sent.flatMap(callIdsOf).slice(AT_WRITER_LIMIT)
    expect(order.map((callId) => callId - AT_WRITER_LIMIT)).toEqual([1, 5, 2, 6, 3, 7, 4])
  })

  it('of a partner do not wait for those of a thousand devices that are born at once', async () => {
    const { client, nextNumber, devices } = silentWriter()
    for (let count = 0; count < 1_000; count += 1) void nextNumber(`device ${count}`)
    for (let count = 0; count < 3; count += 1)
      void client.call('partners.disable', [byPartner('partner'), 'partner', AT])
    await turn()
    expect(devices().slice(AT_WRITER_LIMIT)).toEqual(Array(3).fill('partner'))
  })

  it('that wait for their turn leave before the order to close', async () => {
    const { client, nextNumber, sent, answer, end } = silentWriter()
    const calls = Array.from({ length: AT_WRITER_LIMIT + 1 }, () => nextNumber())
    const closed = client.close()
    await expect(nextNumber()).rejects.toMatchObject({ kind: 'UNAVAILABLE' })
    await turn()
    expect(sent.flatMap(callsOf)).toHaveLength(AT_WRITER_LIMIT)
    expect(sent).not.toContain('close')
    answer(1, 1)
    await turn()
    expect(callIdsOf(sent.at(-2))).toEqual([AT_WRITER_LIMIT + 1])
    expect(sent.at(-1)).toBe('close')
    end()
    const settled = await Promise.allSettled(calls)
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await closed
  })

  it('keep their order, whether their batch travels as JSON or as objects', async () => {
    const { client, sent, devices } = silentWriter()
    void client.call('outbox.markSent', ['first', ownerOf('device'), AT])
    await turn()
    void client.call('outbox.markSent', ['second', ownerOf('device'), AT])
    void client.call('outbox.nextNumber', [ownerOf('third')])
    void client.call('outbox.markSent', ['fourth', ownerOf('device'), AT])
    await turn()
    expect(sent.map((message) => Object.keys(message)[0])).toEqual(['json', '0'])
    expect(devices()).toEqual(['first', 'second', 'third', 'fourth'])
  })
})
