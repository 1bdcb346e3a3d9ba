import { CALLBACK_PATH } from '../gang/requests.ts'
import { type Attack, halfFromOne, untilClosed } from '../gang/round.ts'

const SENDERS = 1_000
/** Every fifth sends its headers and a piece of its body. */
const STALLED_EACH = 5
const BYTE_MS = 1_000
const AGAIN_MS = 1_000

const HEAD = `POST ${CALLBACK_PATH} HTTP/1.1\r\nHost: hub\r\nContent-Type: application/json\r\n`

export const slowSenders: Attack = (target, round) =>
  round.crowd(SENDERS, AGAIN_MS, async (member) => {
    const socket = round.connect(target.http, halfFromOne(member, SENDERS))
    const isStalled = member % STALLED_EACH === 0
    if (isStalled) socket.write(`${HEAD}Content-Length: 16000\r\n\r\n{"terminalID": "`)
    let sent = 0
    const dripping = setInterval(() => {
      // The stalled ones send nothing more.
      if (isStalled || socket.connecting) return
      socket.write(sent < HEAD.length ? (HEAD[sent] ?? '') : 'x')
      sent += 1
    }, BYTE_MS)
    await untilClosed(socket)
    clearInterval(dripping)
    round.count('closed')
  })
