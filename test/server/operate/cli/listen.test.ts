import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { createEventReader } from '../../../../server/operate/cli/event-reader.ts'
import {
  describeEvent,
  describeForward,
  describeReturn,
  type ListenOptions,
  listen,
} from '../../../../server/operate/cli/listen.ts'
import { createTestApi } from '../../../support/api.ts'
import { listening } from '../../../support/listening.ts'

const SECRET = `whsec_${'A'.repeat(43)}=`

/** A command that listens to a partner of a hub in this process. `answer`: in place of the hub, when it gives one. */
async function setUp(answer: (path: string) => Response | undefined | Promise<undefined> = () => undefined) {
  const api = createTestApi()
  const { clientId, clientSecret } = await api.partner('Acme')
  const stopping = new AbortController()
  const printed: object[] = []
  const complaints: string[] = []
  const dated = async (request: Request) => {
    const response = (await answer(new URL(request.url).pathname)) ?? (await api.fetch(request))
    response.headers.set('date', new Date(api.clock.now()).toUTCString())
    return response
  }
  const reader = createEventReader({
    ...{ base: () => 'http://hub', clientId, clientSecret, stopping: stopping.signal, clock: api.clock },
    send: dated,
  })
  const run = (options: Partial<ListenOptions>, wrote: (lines: number) => unknown = () => undefined) =>
    listen(
      { reader, secret: SECRET, clock: api.clock },
      { client: clientId, ...options },
      {
        stopping: stopping.signal,
        async write(json) {
          printed.push(json)
          await wrote(printed.length)
        },
        complain: (sentence) => void complaints.push(sentence),
      },
    ).catch((error: unknown) => {
      if (!stopping.signal.aborted) throw error
      return true
    })
  const addTest = (webhookId: string) => api.storage.events.addTest(clientId, webhookId, api.clock.now())
  return { api, clientId, stopping, printed, complaints, run, addTest }
}

it('begins with what comes from now on, goes on after the hub was away, and says what came meanwhile', async () => {
  let reads = 0
  const away = [new Response('', { status: 503 }), Response.error()]
  const shop = await setUp((path) => {
    if (!path.endsWith('/event')) return undefined
    reads += 1
    return reads > 2 ? away.pop() : undefined
  })
  await shop.addTest('before')
  const ended = shop.run({}, async (lines) => {
    if (lines === 1) await shop.addTest('after')
    if (lines === 3) shop.stopping.abort()
  })
  await ended
  expect(shop.printed).toEqual([
    { event: 'listening', clientId: shop.clientId, secret: SECRET },
    { event: 'back', awayMs: expect.any(Number), missed: 1 },
    expect.objectContaining({ type: 'webhook.test', data: { webhookId: 'after' } }),
  ])
  expect(shop.complaints).toEqual([expect.stringMatching(/^The hub does not answer .* misses no event\.$/)])
})

it('gets a new token when its own is dead', async () => {
  let isDead = false
  const shop = await setUp((path) => {
    if (!isDead || !path.endsWith('/event')) return undefined
    isDead = false
    return Response.json(
      { code: 40102, message: 'The access token has expired: refresh it.' },
      { status: 401 },
    )
  })
  await shop.run({}, async (lines) => {
    if (lines === 2) return shop.stopping.abort()
    isDead = true
    await shop.addTest('after')
  })
  expect(shop.printed).toMatchObject([{ event: 'listening' }, { data: { webhookId: 'after' } }])
  expect(shop.complaints).toEqual([])
})

it('says that events were deleted before it could read them', async () => {
  let isGone = false
  const shop = await setUp((path) => {
    if (!isGone || !path.endsWith('/event')) return undefined
    isGone = false
    return Response.json({ code: 41000 }, { status: 410 })
  })
  await shop.run({}, async (lines) => {
    if (lines === 2) return shop.stopping.abort()
    isGone = true
    await shop.addTest('kept')
  })
  expect(shop.printed).toMatchObject([{ event: 'listening' }, { data: { webhookId: 'kept' } }])
  expect(shop.complaints).toEqual([expect.stringContaining('deleted')])
})

it.each([
  [
    { code: 40103, message: 'The client id or client secret is wrong.' },
    'The hub refuses: The client id or client secret is wrong. Compare the client id with hub partner list; hub partner rotate-secret makes another secret. If both are right, the hub runs on another database. (40103)',
  ],
  [{}, "What answers is no hub (status 401): give the hub's address with --url."],
])('ends with a sentence when the login is refused: %o', async (body, sentence) => {
  const shop = await setUp(() => Response.json(body, { status: 401 }))
  await expect(shop.run({})).rejects.toThrow(sentence)
})

it('ends after the one event that a script waits for, and prints nothing else', async () => {
  const shop: Awaited<ReturnType<typeof setUp>> = await setUp(async () => {
    // The hub of this process wakes no read that waits: the events come before it.
    if (shop.complaints.length === 1) for (const name of ['first', 'second']) await shop.addTest(name)
    return undefined
  })
  const done = await shop.run({ once: 'webhook.test' })
  expect(done).toBe(true)
  expect(shop.complaints).toEqual([`Waiting for webhook.test of ${shop.clientId}.`])
  expect(shop.printed).toMatchObject([{ type: 'webhook.test', data: { webhookId: 'first' } }])
})

it('reads no further than a receiver that never answers, and does not wait for it once it is stopped', async () => {
  const shop = await setUp()
  const server = createServer(() => undefined)
  const forwardTo = `http://${await listening(server)}/`
  const listened = shop.run({ forwardTo }, async (lines) => {
    if (lines > 1) return
    await shop.addTest('first')
    await shop.addTest('second')
  })
  await once(server, 'request')
  shop.stopping.abort()
  await listened
  expect(shop.printed).toMatchObject([{ event: 'listening' }, { data: { webhookId: 'first' } }])
})

it.each([
  [0, 'no events have come'],
  [1, '1 event has come'],
  [7, '7 events have come'],
  [100, '100 or more events have come'],
])('says how many events came while the hub was away: %i', (missed, words) => {
  expect(describeReturn(12_345, missed)).toBe(`The hub answers again after 12 s: ${words} meanwhile.`)
})

it('describes an event in one line, in which nothing of a partner acts on the terminal', () => {
  const event = { id: 'evt_1', timestamp: '2026-11-20T03:00:00.000Z' }
  const data = {
    transactionAmount: '50000',
    terminalID: 'T\u001b[2J\n',
    billNumber: '',
    deviceSerial: 'SB-1',
  }
  const keyed = {
    deviceSerial: 'BOX-1',
    storeIds: ['s'],
    transactionAmount: '70000',
    keyedId: 'K1',
    expiresAt: '',
  }
  expect(describeEvent({ ...event, type: 'amount.keyed', data: keyed })).toMatch(
    / amount\.keyed .* 70\.000 đ {2}deviceSerial BOX-1 {2}keyedId K1$/,
  )
  expect(describeEvent({ ...event, type: 'announcement.played', data })).toBe(
    '2026-11-20 03:00:00+00:00  announcement.played  evt_1  50.000 đ  terminalID T\\u001b[2J\\u000a  deviceSerial SB-1',
  )
})

it.each([
  [{ status: 204, ms: 12 }, '  forwarded: 204, 12 ms'],
  [{ status: 302, ms: 12 }, '  refused: 302, 12 ms'],
  [{ error: 'ECONNREFUSED', ms: 3 }, '  not forwarded, 3 ms: ECONNREFUSED'],
])('says what became of a forward: %o', (result, line) => expect(describeForward(result)).toBe(line))
