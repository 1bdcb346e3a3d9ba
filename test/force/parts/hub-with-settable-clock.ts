import { startHub } from '../../../server/hub.ts'
import { type Clock, systemClock } from '../../../server/platform/clock.ts'
import { readConfig } from '../../../server/platform/config.ts'
import { createRandomIds } from '../../../server/platform/ids.ts'
import { createLog } from '../../../server/platform/log.ts'
import { openThreadedStorage } from '../../../server/storage/writer/storage.ts'

/*
 * The hub's process as server/main.ts has it, but for its clock: that can be set, by messages of its parent, as an
 * operator or a time server sets a machine's. Timers run on, as they do on such a machine.
 */

let setByMs = 0
const clock: Clock = { ...systemClock, now: () => systemClock.now() + setByMs }
process.on('message', (message) => {
  setByMs = Number(Object(message).setByMs)
})

const config = readConfig(process.env)
const hub = await startHub(config, {
  clock,
  ids: createRandomIds(),
  log: createLog(config.logLevel),
  openStorage: openThreadedStorage,
})
process.once('SIGTERM', () => void hub.stop().then(() => process.exit(0)))
process.stdout.write(`${JSON.stringify({ event: 'ready', http: hub.http, mqtt: hub.mqtt })}\n`)
