import { byPartner } from '../../../server/security/actor.ts'
import type { Storage } from '../../../server/storage/ports.ts'
import type { Progress } from '../../../server/webhooks/ports.ts'
import type { Attempt, Delivery, Webhook } from '../../../server/webhooks/webhook.ts'
import { eventsOf } from './contract/events.ts'
import { AT, createShop } from './shop.ts'
import type { OpenStorage } from './storage-contract.ts'

export function webhookOf(clientId: string, id: string, change: Partial<Webhook> = {}): Webhook {
  return {
    ...{ id, clientId, url: `https://${id}.example/hook?key=k1`, types: undefined, description: '' },
    ...{ state: 'enabled', disabledReason: undefined, createdAt: AT, failingSince: undefined },
    ...{ lastDeliveredAt: undefined, ...change },
  }
}

export const secretOf = (name: string) => `whsec_${Buffer.from(name.padEnd(32, '.')).toString('base64')}`

export function attemptAt(at: number, change: Partial<Attempt> = {}): Attempt {
  return { at, ms: 12, status: 200, error: undefined, reply: 'OK', ...change }
}

export function deliveryOf(webhookId: string, seq: number, change: Partial<Delivery> = {}): Delivery {
  return {
    ...{ webhookId, seq, eventId: `evt_${seq}`, type: 'webhook.test', state: 'delivered', step: 1 },
    ...{ nextAt: undefined, attempts: [attemptAt(AT + 1)], ...change },
  }
}

export const pending = (at: number, step = 1): Partial<Delivery> => ({
  ...{ state: 'pending', nextAt: at + 5_000, step },
  attempts: [attemptAt(at, { status: undefined, error: 'The connection was refused.', reply: '' })],
})

export function progressOf(webhookId: string, change: Partial<Progress> = {}): Progress {
  const { deliveries = [] } = change
  const isDelivered = deliveries.some(({ state }) => state === 'delivered')
  return {
    ...{ webhookId, revision: 0, deliveries, feeds: [], failingSince: undefined },
    ...{ lastDeliveredAt: isDelivered ? AT + 1 : undefined, disabled: undefined, ...change },
  }
}

/** A storage with a partner that may have webhooks. */
export async function webhookWorld(open: OpenStorage) {
  const opened = await open()
  const { storage } = opened
  const shop = createShop(storage)
  const clientId = await shop.partner('sbc_1')
  /** Adds tests, each with its seq. */
  async function happen(count: number, at = AT): Promise<number[]> {
    const before = (await eventsOf(storage, clientId)).at(-1)?.seq ?? 0
    for (let n = 0; n < count; n += 1) await storage.events.addTest(clientId, 'wh_1', at)
    return (await eventsOf(storage, clientId, { after: before })).map(({ seq }) => seq)
  }
  const add = (id = 'wh_1', change: Partial<Webhook> = {}) =>
    storage.webhooks.add(byPartner(clientId), webhookOf(clientId, id, change), secretOf(id))
  return { ...opened, shop, clientId, happen, add }
}

export const sendingOf = async ({ webhookQueue }: Pick<Storage, 'webhookQueue'>, id = 'wh_1') => {
  const found = (await webhookQueue.sending()).find((one) => one.id === id)
  if (!found) throw new Error(`${id} is not sent to`)
  return found
}
export const feedsOf = async (storage: Storage, id?: string) => (await sendingOf(storage, id)).feeds
export const statesOf = async ({ webhooks }: Storage, id = 'wh_1') => {
  const { rows } = await webhooks.deliveries(id, { state: undefined }, { limit: 1_000 })
  return rows.map(({ seq, state, step }) => [seq, state, step])
}
