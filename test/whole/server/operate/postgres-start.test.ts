import { describe, it, onTestFinished } from 'vitest'
import { joinHubs, startHub } from '../../../../server/hub.ts'
import { systemClock } from '../../../../server/platform/clock.ts'
import { readConfig } from '../../../../server/platform/config.ts'
import { createRandomIds } from '../../../../server/platform/ids.ts'
import { createLog } from '../../../../server/platform/log.ts'
import { openHere } from '../../../../server/storage/sqlite/file/open-folder.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { startTestPostgres } from '../../../support/postgres.ts'
import { TEST_MASTER_KEY } from '../../../support/storage.ts'
import { wayTo } from '../../../support/tcp-way.ts'
import { until } from '../../../support/wait.ts'

const postgres = await startTestPostgres()

describe.skipIf(!postgres)('PostgreSQL that falls silent during the start of a hub', () => {
  it.each(['before', 'after'] as const)('is waited for: %s the hub has joined the others', async (moment) => {
    if (!postgres) throw new Error('the tests are skipped without PostgreSQL')
    const way = await wayTo(await postgres.database())
    const said: string[] = []
    let isFrozen = false
    const freezeOnce = () => {
      if (!isFrozen) way.freeze()
      isFrozen = true
    }
    const join: typeof joinHubs = async (config, deps) => {
      const joining = joinHubs(config, deps)
      if (moment === 'before') freezeOnce()
      const joined = await joining
      freezeOnce()
      return joined
    }
    const config = readConfig({
      ...{ HUB_HTTP_PORT: '0', HUB_MQTT_PORT: '0', HUB_ADMIN_PORT: '0' },
      ...{ HUB_DATA_DIR: temporaryFolder(), HUB_MASTER_KEY: TEST_MASTER_KEY.toString('base64') },
      HUB_DATABASE_URL: way.url,
    })
    const log = createLog('warn', { write: (line) => void said.push(JSON.parse(line).msg) })
    const starting = startHub(config, {
      clock: systemClock,
      ids: createRandomIds(),
      log,
      openStorage: openHere,
      join,
    })
    starting.then(
      (hub) => onTestFinished(() => hub.stop()),
      () => undefined,
    )
    await until('the warning', () => said.includes('PostgreSQL is not reachable: the hub tries again'))
    way.cut()
    const { http } = await starting
    await until('a ready hub', async () => (await fetch(`${http}/readyz`)).status === 200)
  })
})
