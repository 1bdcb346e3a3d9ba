import { startHub } from '../../../server/hub.ts'
import { type Clock, systemClock } from '../../../server/platform/clock.ts'
import { readConfig } from '../../../server/platform/config.ts'
import { createRandomIds } from '../../../server/platform/ids.ts'
import { createLog } from '../../../server/platform/log.ts'
import { openThreadedStorage } from '../../../server/storage/writer/storage.ts'

/*
 * The process of server/main.ts with another clock: the parent's messages set it, as an operator or a time server sets
 * the clock of a machine. Timers are not affected, as on a real machine.
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
const { http, mqtt, admin } = hub
process.stdout.write(`${JSON.stringify({ event: 'ready', http, mqtt, admin })}\n`)
