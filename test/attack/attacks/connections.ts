import { type Attack, halfFromOne, untilClosed } from '../gang/round.ts'

/** Loops that connect and cut, to each listener. About 1,500 connections a second. */
const CHURNING = 30
const GAP_MS = 20
/** Connections to each listener that begin to say something, and then are silent. */
const HALF_OPEN = 300
const AGAIN_MS = 1_000

const BEGUN_REQUEST = 'GET /healthz HTT'
/** A CONNECT of 255 bytes that ends after its first ones. */
export const BEGUN_CONNECT = Buffer.from([0x10, 0xff, 0x01, 0x00, 0x04, 0x4d, 0x51])

export const connections: Attack = async ({ http, mqtt }, round) => {
  const listeners = [
    { to: http, begun: BEGUN_REQUEST },
    { to: mqtt, begun: BEGUN_CONNECT },
  ]
  await Promise.all(
    listeners.flatMap(({ to, begun }) => [
      round.crowd(CHURNING, GAP_MS, async (member) => {
        const socket = round.connect(to, halfFromOne(member, CHURNING))
        await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
        // A reset leaves no port in TIME_WAIT, so there are enough of them.
        if (member % 2 === 0) socket.resetAndDestroy()
        else socket.destroy()
      }),
      round.crowd(HALF_OPEN, AGAIN_MS, async (member) => {
        const socket = round.connect(to, halfFromOne(member, HALF_OPEN))
        socket.write(begun)
        await untilClosed(socket)
        round.count('half-open closed')
      }),
    ]),
  )
}
