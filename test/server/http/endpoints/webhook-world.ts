import { readNetworks } from '../../../../server/platform/net/address.ts'
import type { AddressCheck } from '../../../../server/webhooks/address.ts'
import type { Progress } from '../../../../server/webhooks/ports.ts'
import type { Attempt, DeliveryState } from '../../../../server/webhooks/webhook.ts'
import { type Answer, createTestApi, stringAt, type TestPartner } from '../../../support/api.ts'

export const URL = 'https://shop.example/hook?token=THE-PARTNERS-TOKEN'
export const AT = '2026-11-20T03:00:00.000Z'

/** Names that lead to other addresses than every other name does. */
const ADDRESSES: Record<string, string[]> = {
  'inside.example': ['10.0.0.7'],
  'both.example': ['93.184.215.14', '127.0.0.1'],
  'nowhere.example': [],
}
const resolve: AddressCheck['resolve'] = async (host) => ADDRESSES[host] ?? ['93.184.215.14']

export const dataOf = (answer: Answer): Record<string, unknown>[] => Object(answer.body).data

interface Event {
  id: string
  seq: string
  type: string
}

/** A partner that may have webhooks. Nothing is sent to them. */
export async function webhookWorld(allowed = '192.0.2.1/32') {
  const allow = readNetworks(allowed) ?? (() => false)
  const api = createTestApi({ addresses: { resolve, allow } })
  const partner = await api.partner()
  const create = (more: object = {}) => partner.call('POST', '/webhook', { url: URL, ...more })
  const { webhookQueue } = api.storage

  /** What the hub has still to send to a webhook, and by which secrets it signs. */
  async function sending(id: string) {
    const found = (await webhookQueue.sending()).find((one) => one.id === id)
    if (!found) throw new Error('nothing is sent to this webhook')
    return found
  }

  /** Stores the results of attempts as the hub does that has made them. */
  async function attempted(
    id: string,
    results: { eventId: string; state: DeliveryState; attempts: Attempt[] }[],
    disabled: Progress['disabled'] = undefined,
  ) {
    const now = api.clock.now()
    const { clientId, revision } = await sending(id)
    const deliveries = await Promise.all(
      results.map(async ({ eventId, state, attempts }) => {
        const event = await api.storage.events.find(clientId, eventId)
        if (!event) throw new Error('there is no such event')
        const nextAt = state === 'pending' ? now + 5_000 : undefined
        const { seq, type } = event
        return { webhookId: id, seq, eventId, type, state, step: attempts.length, nextAt, attempts }
      }),
    )
    const since = { failingSince: now, lastDeliveredAt: undefined }
    await webhookQueue.store([{ webhookId: id, revision, deliveries, feeds: [], ...since, disabled }], now)
  }

  return {
    ...{ api, partner, create, sending, attempted },
    created: async (more: object = {}) => stringAt(await create(more), 'id'),
    eventsOf: async (of: TestPartner = partner) =>
      Object((await of.call('GET', '/event')).body).data as Event[],
  }
}

export const attempt = (more: Partial<Attempt> = {}): Attempt => ({
  ...{ at: Date.parse(AT), ms: 12, status: 200, error: undefined, reply: 'thanks', ...more },
})
