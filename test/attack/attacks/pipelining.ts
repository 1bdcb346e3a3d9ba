import { get } from '../gang/requests.ts'
import { type Attack, halfFromOne } from '../gang/round.ts'

const CONNECTIONS = 100
const REQUESTS_EACH = 2_500
const PATHS = ['/healthz', '/openapi.json', '/docs', '/nothing', '/readyz']
/** Then the connection is given up, and a new one writes again. Nothing is read, so a FIN is not seen. */
const HELD_MS = 5_000

export const pipelining: Attack = (target, round) => {
  const requests = Buffer.from(
    Array.from({ length: REQUESTS_EACH }, (_, index) => get(PATHS[index % PATHS.length] ?? '/')).join(''),
  )
  return round.crowd(CONNECTIONS, 100, async (member) => {
    const socket = round.connect(target.http, halfFromOne(member, CONNECTIONS))
    socket.write(requests)
    round.count('requests', REQUESTS_EACH)
    await round.pause(HELD_MS)
    socket.destroy()
  })
}
