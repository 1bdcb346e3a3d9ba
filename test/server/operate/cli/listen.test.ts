import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { describeEvent, describeForward, listen } from '../../../../server/operate/cli/listen.ts'
import { HubError } from '../../../../server/platform/errors.ts'
import { createRandomIds } from '../../../../server/platform/ids.ts'
import { createTestApi } from '../../../support/api.ts'
import { listening } from '../../../support/listening.ts'

it('goes on after the database was away, says so once, and misses nothing', async () => {
  const api = createTestApi()
  const { clientId } = await api.partner('Acme')
  const { events, partners } = api.storage
  await events.addTest(clientId, 'before', api.clock.now())
  const stopping = new AbortController()
  const printed: object[] = []
  const complaints: string[] = []
  let reads = 0
  const page: typeof events.page = async (...args) => {
    reads += 1
    if (reads <= 2) throw new HubError('UNAVAILABLE')
    if (reads === 3) await events.addTest(clientId, 'after', api.clock.now())
    return events.page(...args)
  }
  const storage = { ...api.storage, partners, events: { ...events, page } }
  const workspace = { storage, clock: api.clock, ids: createRandomIds() }
  const output = {
    stopping: stopping.signal,
    async write(json: object) {
      printed.push(json)
      if (printed.length === 2) stopping.abort()
    },
    complain: (sentence: string) => void complaints.push(sentence),
  }
  await listen(workspace, { client: clientId }, output)
  expect(printed).toEqual([
    { event: 'listening', clientId, secret: expect.stringMatching(/^whsec_/) },
    expect.objectContaining({ type: 'webhook.test', data: { webhookId: 'after' } }),
  ])
  expect(complaints).toEqual([expect.stringContaining('database')])
})

it('reads no further than a receiver that never answers, and does not wait for it once it is stopped', async () => {
  const api = createTestApi()
  const { clientId } = await api.partner('Acme')
  const { events } = api.storage
  const server = createServer(() => undefined)
  const forwardTo = `http://${await listening(server)}/`
  const stopping = new AbortController()
  const printed: object[] = []
  const listened = listen(
    { storage: api.storage, clock: api.clock, ids: createRandomIds() },
    { client: clientId, forwardTo },
    {
      stopping: stopping.signal,
      async write(json) {
        printed.push(json)
        if (printed.length > 1) return
        await events.addTest(clientId, 'first', api.clock.now())
        await events.addTest(clientId, 'second', api.clock.now())
      },
      complain: () => undefined,
    },
  )
  await once(server, 'request')
  stopping.abort()
  await listened
  expect(printed).toMatchObject([{ event: 'listening' }, { data: { webhookId: 'first' } }])
})

it('describes an event in one line, in which nothing of a partner acts on the terminal', () => {
  const event = { id: 'evt_1', seq: 1, at: Date.parse('2026-11-20T03:00:00.000Z') }
  const data = {
    transactionAmount: '50000',
    terminalID: 'T\u001b[2J\n',
    billNumber: '',
    deviceSerial: 'SB-1',
  }
  expect(describeEvent({ ...event, type: 'announcement.played', data })).toBe(
    '2026-11-20 03:00:00+00:00  announcement.played  evt_1  50000 VND  terminalID T\\u001b[2J\\u000a  deviceSerial SB-1',
  )
})

it.each([
  [{ status: 204, ms: 12 }, '  forwarded: 204, 12 ms'],
  [{ status: 302, ms: 12 }, '  refused: 302, 12 ms'],
  [{ error: 'ECONNREFUSED', ms: 3 }, '  not forwarded, 3 ms: ECONNREFUSED'],
])('says what became of a forward: %o', (result, line) => expect(describeForward(result)).toBe(line))
