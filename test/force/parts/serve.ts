import { type HubDeps, startHub } from '../../../server/hub.ts'
import { systemClock } from '../../../server/platform/clock.ts'
import { readConfig } from '../../../server/platform/config.ts'
import { createRandomIds } from '../../../server/platform/ids.ts'
import { createLog } from '../../../server/platform/log.ts'
import { openThreadedStorage } from '../../../server/storage/writer/storage.ts'

/** The process of server/main.ts with other parts. */
export async function serve(changes: Partial<HubDeps>) {
  const config = readConfig(process.env)
  const hub = await startHub(config, {
    ...{ clock: systemClock, ids: createRandomIds(), log: createLog(config.logLevel) },
    ...{ openStorage: openThreadedStorage, ...changes },
  })
  process.once('SIGTERM', () => void hub.stop().then(() => process.exit(0)))
  const { http, mqtt, admin } = hub
  process.stdout.write(`${JSON.stringify({ event: 'ready', http, mqtt, admin })}\n`)
}
