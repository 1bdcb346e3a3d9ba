import type { Actor } from '../../../server/security/actor.ts'
import type { AuditAction, AuditRow } from '../../../server/storage/audit.ts'
import type { Storage } from '../../../server/storage/ports.ts'
import { OPERATOR } from '../../support/actors.ts'
import { createShop } from './shop.ts'
import type { OpenStorage } from './storage-contract.ts'
import { secretOf, webhookOf } from './webhook-world.ts'

/** The partner to whom all belongs that the acts change. */
export const CLIENT = 'sbc_1'

/** A storage with a partner, and what makes things that an act can change. */
export async function openWorld(open: OpenStorage) {
  const { storage } = await open()
  const shop = createShop(storage)
  await shop.partner(CLIENT)
  let made = 0
  /** A speaker of the partner, each with a till of its own. */
  const speaker = async () => {
    made += 1
    const terminalID = `T${made}`
    return { ...(await shop.speaker(CLIENT, terminalID)), terminalID }
  }
  const webhook = async () => {
    made += 1
    await storage.webhooks.add(OPERATOR, webhookOf(CLIENT, `wh_${made}`), secretOf('first'))
    return `wh_${made}`
  }
  let seen = 0
  /** The rows since the last call. */
  async function noted(): Promise<AuditRow[]> {
    const rows = (await storage.audit.list({ limit: 1_000 })).filter(({ id }) => id > seen)
    seen = rows[0]?.id ?? seen
    return rows
  }
  return { storage, shop, speaker, webhook, noted }
}
export type World = Awaited<ReturnType<typeof openWorld>>

/** An act that writes a row. The act is prepared by others, whose rows do not count. */
export interface Audited {
  action: AuditAction
  /** Only the hub carries it out: it has no actor. */
  isOfTheHub?: true
  carryOut(world: World, by: Actor): Promise<void>
}

export function audited<P>(
  action: AuditAction,
  prepare: (world: World) => P | Promise<P>,
  act: (storage: Storage, by: Actor, prepared: P) => Promise<unknown>,
): Audited {
  return {
    action,
    async carryOut(world, by) {
      const prepared = await prepare(world)
      await world.noted()
      await act(world.storage, by, prepared)
    },
  }
}
