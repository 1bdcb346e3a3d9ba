import { randomUUID } from 'node:crypto'
import { serve } from '@hono/node-server'
import { createClient } from '@redis/client'
import { Hono } from 'hono'
import { z } from 'zod'
import {
  createTokens,
  dedupeKeyOf,
  isSigned,
  OK,
  openDownlink,
  readSettings,
  tellUrl,
  UNAUTHORIZED,
  WRONG_SIGNATURE,
} from './work.ts'

/** A service as its user would build it: Hono with zod, Redis that flushes each write, and a broker. */

/** One script, so one durable step: a payment that is new, and its announcement in the outbox. */
const RECORD = `
  local serial = redis.call('HGET', KEYS[3], ARGV[1])
  if not serial or not redis.call('SET', KEYS[1], ARGV[2], 'NX') then return false end
  redis.call('HSET', KEYS[2], 'serial', serial, 'amount', ARGV[3], 'stage', 'queued')
  return serial`

const settings = readSettings(process.env)
const mayCall = createTokens(settings.token)
const redis = createClient({ url: settings.database })
await redis.connect()
const record = await redis.scriptLoad(RECORD)
const downlink = await openDownlink(settings.mqtt, (id) =>
  redis.hSet(`outbox:${id}`, { stage: 'played', playedAt: Date.now() }),
)

const text = z.string().max(200)
const callbackDto = z.object({
  terminalID: z.string().min(1).max(100),
  bankCode: text,
  billNumber: text,
  transactionAmount: z.string().regex(/^[1-9]\d{0,11}$/),
  notice: text,
  payDate: z.iso.datetime(),
  traceTransfer: text,
  ftCode: text,
  checkSum: z.string().regex(/^[0-9a-fA-F]{64}$/),
})

const app = new Hono()
app.post('/callback', async (c) => {
  if (!mayCall(c.req.header('Authorization'))) return c.json(UNAUTHORIZED, 401)
  const { data: callback } = callbackDto.safeParse(await c.req.json())
  if (!callback) return c.json({ code: 40000, message: 'A field is wrong.' }, 400)
  if (!isSigned(callback, settings.secret)) return c.json(WRONG_SIGNATURE, 401)
  const id = randomUUID()
  const { terminalID, transactionAmount: amount } = callback
  const serial = await redis.evalSha(record, {
    keys: [`payment:${dedupeKeyOf(callback)}`, `outbox:${id}`, 'devices'],
    arguments: [terminalID, JSON.stringify({ id, ...callback }), amount],
  })
  if (typeof serial === 'string') downlink.announce({ id, serial, amount })
  return c.json(OK)
})
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  void tellUrl(`http://127.0.0.1:${port}/callback`)
})
