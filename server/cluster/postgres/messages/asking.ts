import type { Answer } from '../../../devices/answer.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Ids } from '../../../platform/ids.ts'
import { createKeyedLock } from '../../../platform/keyed-lock.ts'
import type { Vault } from '../../../security/vault.ts'
import type { Tx } from '../../../storage/postgres/engine/database.ts'
import type { Message } from '../../messages.ts'
import type { Wakeups } from '../../wakeups.ts'
import { sealMessage } from './sealed.ts'

/** A row that its hub has not deleted by then was left by a hub that is gone. */
const LEFT_MS = 60_000

export interface AskingDeps {
  /** Outside a transaction. */
  query: Tx['query']
  vault: Vault
  wakeups: Pick<Wakeups, 'wake'>
  hub: string
  ids: Pick<Ids, 'uuid'>
  clock: Pick<Clock, 'after'>
}

/** The messages that this hub sends: it inserts a row for each, and deletes it with the answer. */
export class Asking {
  readonly #deps: AskingDeps
  readonly #inOrder = createKeyedLock()
  /** By id, what ends the wait for the answer. */
  readonly #open = new Map<string, () => void>()

  constructor(deps: AskingDeps) {
    this.#deps = deps
  }

  async ask(deviceId: string, message: Message, withinMs: number): Promise<Answer> {
    const { wakeups, ids, clock } = this.#deps
    const id = ids.uuid()
    const ended = Promise.withResolvers<void>()
    const cancel = clock.after(withinMs, ended.resolve)
    this.#open.set(id, ended.resolve)
    try {
      const isSent = await this.#inOrder.run(deviceId, () => this.#send(id, deviceId, message, withinMs))
      if (!isSent) return { kind: 'offline' }
      wakeups.wake('message', [deviceId])
      await ended.promise
      return await this.#end(id)
    } finally {
      cancel()
      this.#open.delete(id)
    }
  }

  async lookForAnswers() {
    if (this.#open.size === 0) return
    const rows = await this.#deps.query<{ id: string }>(
      'messages.answered',
      'SELECT id FROM hub_messages WHERE id = ANY($1::text[]) AND answer IS NOT NULL',
      [[...this.#open.keys()]],
    )
    for (const { id } of rows) this.#open.get(id)?.()
  }

  /** False when no other hub that runs has the device. */
  async #send(id: string, deviceId: string, message: Message, withinMs: number): Promise<boolean> {
    const { query, vault, hub } = this.#deps
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
      [id, deviceId, sealMessage(vault, id, message), withinMs, hub],
    )
    return sent.length > 0
  }

  /** Takes the answer, or the message back: after that the other hub can't answer. */
  async #end(id: string): Promise<Answer> {
    const [row] = await this.#deps.query<{ answer: Answer | null }>(
      'messages.end',
      'DELETE FROM hub_messages WHERE id = $1 RETURNING answer',
      [id],
    )
    return row?.answer ?? { kind: 'not_responding' }
  }
}
