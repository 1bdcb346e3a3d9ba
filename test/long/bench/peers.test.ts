import { createClient } from '@redis/client'
import { Client } from 'pg'
import { expect, it, onTestFinished, type TestContext } from 'vitest'
import { type Kind, type Peer, POSTGRES, REDIS, startPeer } from '../../bench/peers/peer.ts'
import { benchPeers } from '../../bench/peers/peers.ts'

const SHOPS = [{ terminalID: 'TILL-0', serial: 'SPK-0', key: Buffer.alloc(32) }]
const TINY = {
  shops: 2,
  played: { warmUp: 1, round: 10, rounds: 1 },
  cost: { rates: [{ perSecond: 200, seconds: 0.1 }], rounds: 1 },
  callbacks: { connections: [2], warmUpSeconds: 0.01, seconds: 0.1, rounds: 1 },
}

/** The outbox rows of a peer by their stage. */
const STAGES: { name: string; kind: Kind; stagesOf: (url: string) => Promise<string[]> }[] = [
  {
    name: POSTGRES.name,
    kind: POSTGRES,
    async stagesOf(url) {
      const client = new Client(url)
      await client.connect()
      const { rows } = await client.query<{ stage: string }>(
        'SELECT stage FROM outbox JOIN payments USING (id)',
      )
      await client.end()
      return rows.map(({ stage }) => stage)
    },
  },
  {
    name: REDIS.name,
    kind: REDIS,
    async stagesOf(url) {
      const client = createClient({ url })
      await client.connect()
      const keys = await client.keys('outbox:*')
      const stages = await Promise.all(keys.map((key) => client.hGet(key, 'stage')))
      const payments = await client.keys('payment:*')
      await client.close()
      expect(payments).toHaveLength(keys.length)
      return stages.map(String)
    },
  },
]

async function startOrSkip(kind: Kind, { skip }: TestContext): Promise<Peer> {
  const peer = await startPeer(kind, SHOPS)
  if (!peer) return skip(`it needs ${kind.needs}`)
  onTestFinished(() => peer.stop())
  return peer
}

it.for(STAGES)('$name: does the work that the hub does', async ({ kind, stagesOf }, context) => {
  const peer = await startOrSkip(kind, context)
  const { url, headers } = peer.target
  const body = peer.target.body()
  const statusOf = async (said: string, more: Record<string, string> = {}) =>
    (await fetch(url, { method: 'POST', headers: { ...headers, ...more }, body: said })).status
  const changed = (name: string, value: string) => JSON.stringify({ ...JSON.parse(body), [name]: value })

  expect(await statusOf(body, { Authorization: 'Bearer another' })).toBe(401)
  expect(await statusOf(changed('transactionAmount', '99999'))).toBe(401)
  for (const [name, value] of [
    ['terminalID', ''],
    ['transactionAmount', '1,5'],
    ['payDate', 'today'],
    ['notice', 'x'.repeat(201)],
  ] as const)
    expect(await statusOf(changed(name, value)), name).toBe(400)
  expect(await stagesOf(peer.database)).toEqual([])

  expect(await statusOf(body)).toBe(200)
  expect(await statusOf(body)).toBe(200)
  expect(await stagesOf(peer.database)).toEqual(['queued'])

  const street = await peer.openStreet()
  await street.pay(3)
  street.close()
  expect((await stagesOf(peer.database)).sort()).toEqual(['played', 'played', 'played', 'queued'])
})

it('compares the hub with each peer that this machine can start', async ({ skip }) => {
  const figures = await benchPeers(TINY)
  if (figures.length === 0) return skip('neither peer can be started here')
  for (const figure of figures.filter(({ what }) => !what.startsWith('CPU'))) {
    for (const value of [figure.value, figure.peerValue, figure.ratio])
      expect(Number.parseFloat(value), figure.what).toBeGreaterThan(0)
  }
  expect(figures.map(({ what }) => what)).toEqual(
    expect.arrayContaining(['durable callbacks, 2 connections', 'callback to stored "played", 2 speakers']),
  )
})
