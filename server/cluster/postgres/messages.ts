import { z } from 'zod'
import type { Answer } from '../../devices/answer.ts'
import { type Clock, every } from '../../platform/clock.ts'
import { exceptUnavailable } from '../../platform/errors.ts'
import type { Ids } from '../../platform/ids.ts'
import { createKeyedLock } from '../../platform/keyed-lock.ts'
import type { Logger } from '../../platform/log.ts'
import type { Vault } from '../../security/vault.ts'
import type { Tx } from '../../storage/postgres/engine/database.ts'
import { placeOf } from '../../storage/shared/sealed-columns.ts'
import type { CarryOut, Message, Messages } from '../messages.ts'
import type { Wakeups } from '../wakeups.ts'

/** How often a hub looks for messages and answers whose wake-up was lost. */
const NET_EVERY_MS = 1_000
/** The answer leaves so long before the asking hub gives up. */
const WAY_BACK_MS = 500
/** A row that its hub has not deleted by then was left by a hub that is gone. */
const LEFT_MS = 60_000

/** A hub of another release may ask for something else. */
const MESSAGE: z.ZodType<Message> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('showCode'), code: z.string(), expiresAt: z.number() }),
  z.object({ kind: z.literal('clearCode') }),
  z.object({ kind: z.literal('identify') }),
])

interface MessageRow {
  number: number
  id: string
  deviceId: string
  sealed: Buffer
  leftMs: number
}

export interface PostgresMessagesDeps {
  /** Outside a transaction. */
  query: Tx['query']
  vault: Vault
  wakeups: Pick<Wakeups, 'wake' | 'onWake'>
  /** The id of this hub. */
  hub: string
  ids: Pick<Ids, 'uuid'>
  clock: Pick<Clock, 'after'>
  log: Logger
}

/** Messages as rows: the asking hub inserts one, the hub that has the device stores its answer in it. */
export function createPostgresMessages(deps: PostgresMessagesDeps): Messages {
  const { query, vault, wakeups, hub, ids, clock, log } = deps
  const inOrder = createKeyedLock()
  /** What this hub has asked, with what tells that there is an answer. */
  const open = new Map<string, () => void>()

  /** False when no other hub that runs has the device. */
  async function send(id: string, deviceId: string, message: Message, withinMs: number): Promise<boolean> {
    await query('messages.left', 'DELETE FROM hub_messages WHERE deadline < clock_ms() - $1::bigint', [
      LEFT_MS,
    ])
    const sent = await query(
      'messages.send',
      `INSERT INTO hub_messages (id, hub, device_id, sealed, deadline)
       SELECT $1, s.hub, d.id, $3, clock_ms() + $4::bigint
       FROM devices d JOIN device_state s ON s.device_number = d.number JOIN live_hubs h ON h.id = s.hub
       WHERE d.id = $2 AND s.session_id IS NOT NULL AND s.hub <> $5
       RETURNING id`,
      [id, deviceId, vault.seal(placeOfMessage(id), JSON.stringify(message)), withinMs, hub],
    )
    return sent.length > 0
  }

  async function lookForAnswers() {
    if (open.size === 0) return
    const rows = await query<{ id: string }>(
      'messages.answered',
      'SELECT id FROM hub_messages WHERE id = ANY($1::text[]) AND answer IS NOT NULL',
      [[...open.keys()]],
    )
    for (const { id } of rows) open.get(id)?.()
  }

  /** Takes the answer, or the message back: after that the other hub can't answer. */
  async function end(id: string): Promise<Answer> {
    const [row] = await query<{ answer: Answer | null }>(
      'messages.end',
      'DELETE FROM hub_messages WHERE id = $1 RETURNING answer',
      [id],
    )
    return row?.answer ?? { kind: 'not_responding' }
  }

  async function take(carryOut: CarryOut) {
    const rows = await query<MessageRow>(
      'messages.take',
      `UPDATE hub_messages SET taken = true WHERE hub = $1 AND NOT taken AND deadline > clock_ms()
       RETURNING number, id, device_id AS "deviceId", sealed, deadline - clock_ms() AS "leftMs"`,
      [hub],
    )
    for (const row of rows.sort((a, b) => a.number - b.number))
      inBackground('a message of another hub', answer(row, carryOut))
  }

  /** Without an await before `carryOut`: messages for one device keep their order. */
  async function answer({ id, deviceId, sealed, leftMs }: MessageRow, carryOut: CarryOut) {
    const withinMs = leftMs - WAY_BACK_MS
    const { data } = MESSAGE.safeParse(JSON.parse(vault.open(placeOfMessage(id), sealed).toString('utf8')))
    if (!data || withinMs <= 0) return
    const given = await carryOut(deviceId, data, withinMs)
    const stored = await query(
      'messages.answer',
      'UPDATE hub_messages SET answer = $2 WHERE id = $1 RETURNING id',
      [id, JSON.stringify(given)],
    )
    if (stored.length > 0) return wakeups.wake('message', [deviceId])
    // Nobody waits for it: a code that is not issued must not stay on the screen.
    if (data.kind === 'showCode') await carryOut(deviceId, { kind: 'clearCode' }, withinMs)
  }

  function inBackground(what: string, work: Promise<unknown>) {
    work.catch((error: unknown) => log.error({ err: error }, `${what} failed`))
  }

  return {
    async ask(deviceId, message, withinMs) {
      const id = ids.uuid()
      const ended = Promise.withResolvers<void>()
      const cancel = clock.after(withinMs, ended.resolve)
      open.set(id, ended.resolve)
      try {
        if (!(await inOrder.run(deviceId, () => send(id, deviceId, message, withinMs))))
          return { kind: 'offline' }
        wakeups.wake('message', [deviceId])
        await ended.promise
        return await end(id)
      } finally {
        cancel()
        open.delete(id)
      }
    },

    serve(carryOut) {
      const look = oneAtATime(async () => {
        await Promise.all([take(carryOut), lookForAnswers()])
      })
      const lookNow = () => inBackground('looking for messages', look())
      const unsubscribe = wakeups.onWake((kind) => {
        if (kind === 'message' || kind === 'everything') lookNow()
      })
      const end = every(clock, NET_EVERY_MS, () => {
        // Without a storage, the sweep says so.
        inBackground('looking for messages', look().catch(exceptUnavailable))
      })
      return () => {
        unsubscribe()
        end()
      }
    },
  }
}

function placeOfMessage(id: string): string {
  return placeOf('hub_messages', id, 'sealed')
}

/** A call during a run waits for it, and leads to one more run. */
function oneAtATime(act: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  async function runNext() {
    await running?.catch(() => undefined)
    next = undefined
    running = act()
    await running
  }

  return () => (next ??= runNext())
}
