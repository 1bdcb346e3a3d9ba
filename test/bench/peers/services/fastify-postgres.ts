import { randomUUID } from 'node:crypto'
import { fastify } from 'fastify'
import { Pool } from 'pg'
import { CHECKSUM_FIELDS } from '../../../../server/payments/canonical-string.ts'
import {
  type Callback,
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

/** A service as its user would build it: Fastify with a schema, PostgreSQL, and a broker. */

/** One statement, so one durable step: a payment that is new, and its announcement in the outbox. */
const RECORD = {
  name: 'record',
  text: `WITH paid AS (
      INSERT INTO payments (id, dedupe_key, terminal_id, bank_code, bill_number, amount, notice, paid_at, trace, ft_code)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (dedupe_key) DO NOTHING RETURNING id
    )
    INSERT INTO outbox (id, serial, amount) SELECT paid.id, serial, $6 FROM paid, devices WHERE terminal_id = $3
    RETURNING serial`,
}
const PLAYED = {
  name: 'played',
  text: `UPDATE outbox SET stage = 'played', played_at = now() WHERE id = $1`,
}

const settings = readSettings(process.env)
const mayCall = createTokens(settings.token)
// With 20 to 80 connections instead of ten it was not faster.
const pool = new Pool({ connectionString: settings.database })
const downlink = await openDownlink(settings.mqtt, (id) => pool.query(PLAYED, [id]))

const text = { type: 'string', maxLength: 200 }
const body = {
  type: 'object',
  required: [...CHECKSUM_FIELDS, 'checkSum'],
  properties: {
    ...Object.fromEntries(CHECKSUM_FIELDS.map((name) => [name, text])),
    terminalID: { type: 'string', minLength: 1, maxLength: 100 },
    transactionAmount: { type: 'string', pattern: '^[1-9]\\d{0,11}$' },
    payDate: { type: 'string', format: 'date-time' },
    checkSum: { type: 'string', pattern: '^[0-9a-fA-F]{64}$' },
  },
}

const app = fastify()
app.post<{ Body: Callback }>(
  '/callback',
  {
    schema: { body },
    onRequest: async (request, reply) => {
      if (!mayCall(request.headers.authorization)) return reply.code(401).send(UNAUTHORIZED)
    },
  },
  async ({ body: callback }, reply) => {
    if (!isSigned(callback, settings.secret)) return reply.code(401).send(WRONG_SIGNATURE)
    const id = randomUUID()
    const { terminalID, bankCode, billNumber, transactionAmount: amount, notice } = callback
    const { payDate, traceTransfer, ftCode } = callback
    const { rows } = await pool.query<{ serial: string }>(RECORD, [
      ...[id, dedupeKeyOf(callback), terminalID, bankCode, billNumber, amount],
      ...[notice, payDate, traceTransfer, ftCode],
    ])
    for (const { serial } of rows) downlink.announce({ id, serial, amount })
    return OK
  },
)
const url = await app.listen({ host: '127.0.0.1', port: 0 })
await tellUrl(`${url}/callback`)
