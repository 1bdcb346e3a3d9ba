import { every } from '../../../platform/clock.ts'
import { exceptUnavailable } from '../../../platform/errors.ts'
import type { Logger } from '../../../platform/log.ts'
import type { CarryOut, Messages } from '../../messages.ts'
import type { Wakeups } from '../../wakeups.ts'
import { Asking, type AskingDeps } from './asking.ts'
import { openMessage } from './sealed.ts'

/** How often a hub looks for messages and answers whose wake-up was lost. */
const NET_EVERY_MS = 1_000
/** The answer leaves so long before the asking hub gives up. */
const WAY_BACK_MS = 500

interface MessageRow {
  number: number
  id: string
  deviceId: string
  sealed: Buffer
  leftMs: number
}

interface PostgresMessagesDeps extends AskingDeps {
  wakeups: Pick<Wakeups, 'wake' | 'onWake'>
  log: Logger
}

/** Messages as rows: the asking hub inserts one, the hub that has the device stores its answer in it. */
export function createPostgresMessages(deps: PostgresMessagesDeps): Messages {
  const { query, vault, wakeups, hub, clock, log } = deps
  const asking = new Asking(deps)

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
    const message = openMessage(vault, id, sealed)
    if (!message || withinMs <= 0) return
    const given = await carryOut(deviceId, message, withinMs)
    const stored = await query(
      'messages.answer',
      'UPDATE hub_messages SET answer = $2 WHERE id = $1 RETURNING id',
      [id, JSON.stringify(given)],
    )
    if (stored.length > 0) return wakeups.wake('message', [deviceId])
    // Nobody waits for it: a code that is not issued must not stay on the screen.
    if (message.kind === 'showCode') await carryOut(deviceId, { kind: 'clearCode' }, withinMs)
  }

  function inBackground(what: string, work: Promise<unknown>) {
    work.catch((error: unknown) => log.error({ err: error }, `${what} failed`))
  }

  return {
    ask: (...message) => asking.ask(...message),

    serve(carryOut) {
      const look = oneAtATime(async () => {
        await Promise.all([take(carryOut), asking.lookForAnswers()])
      })
      const unsubscribe = wakeups.onWake((kind) => {
        if (kind === 'message' || kind === 'everything') inBackground('looking for messages', look())
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
