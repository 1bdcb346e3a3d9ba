import { byPartner } from '../../server/security/actor.ts'
import type { Dice } from './kit/dice.ts'
import type { World } from './world.ts'

/** What partners do with their webhooks. */
export const WEBHOOK_ACTIONS = [
  { name: 'enable a webhook', weight: 4, act: enable },
  { name: 'replay', weight: 2, act: replay },
] as const

function enable({ life, town }: World, dice: Dice) {
  const endpoint = dice.pickAny(town.endpoints)
  const hub = life.hub()
  if (!endpoint || !hub) return
  const { clientId, id } = endpoint
  hub.core.verbs
    .changeWebhook(byPartner(clientId), id, { state: 'enabled' }, () => undefined)
    .catch(() => undefined)
}

/** All that there was, once more. */
function replay({ life, town }: World, dice: Dice) {
  const endpoint = dice.pickAny(town.endpoints)
  const hub = life.hub()
  if (!endpoint || !hub) return
  const { clientId, id } = endpoint
  const { signal } = new AbortController()
  hub.core.verbs
    .replayEvents(byPartner(clientId), id, { since: 0, until: undefined }, () => signal)
    .catch(() => undefined)
}
