import type { Storage } from '../../storage/ports.ts'
import type { Webhook } from '../../webhooks/webhook.ts'
import { when } from '../for-people.ts'

/** Webhooks that are named one by one. */
const MOST_NAMED = 20

const WHY = { gone: 'its endpoint answered 410', failing: 'it had only failed for five days' }

/**
 * How many webhooks there are, and which of them fail or were disabled by the hub, each with its partner. None of it is
 * wrong with the hub: it is for the partner to mend.
 */
export async function reportWebhooks(
  storage: Pick<Storage, 'webhookQueue' | 'webhooks' | 'partners'>,
): Promise<string> {
  const { enabled, failing, disabled, pending } = await storage.webhookQueue.counts()
  const off = disabled.gone + disabled.failing
  const found = `${enabled} enabled, ${failing} of them failing, ${off} disabled by the hub; ${pending} deliveries are tried again`
  return failing + off === 0 ? found : [found, ...(await inTrouble(storage))].join('; ')
}

async function inTrouble({ partners, webhooks }: Pick<Storage, 'webhooks' | 'partners'>): Promise<string[]> {
  const named: string[] = []
  for (const { clientId, name } of await partners.list())
    for (const webhook of await webhooks.list(clientId)) {
      const trouble = troubleOf(webhook)
      if (trouble === undefined) continue
      if (named.length === MOST_NAMED) return [...named, 'and more']
      named.push(`${name} (${clientId}) ${webhook.id} ${trouble}`)
    }
  return named
}

function troubleOf({ state, failingSince, disabledReason }: Webhook): string | undefined {
  if (disabledReason !== undefined) return `is disabled: ${WHY[disabledReason]}`
  return state === 'enabled' && failingSince !== undefined ? `fails since ${when(failingSince)}` : undefined
}
