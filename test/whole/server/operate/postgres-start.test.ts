import { expect, it, onTestFinished } from 'vitest'
import { joinHubs, startHub } from '../../../../server/hub.ts'
import { systemClock } from '../../../../server/platform/clock.ts'
import { readConfig } from '../../../../server/platform/config.ts'
import { HubError } from '../../../../server/platform/errors.ts'
import { createRandomIds } from '../../../../server/platform/ids.ts'
import { createLog } from '../../../../server/platform/log.ts'
import { openHere } from '../../../../server/storage/sqlite/file/open-folder.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { startTestPostgres } from '../../../support/postgres.ts'
import { TEST_MASTER_KEY } from '../../../support/storage.ts'
import { wayTo } from '../../../support/tcp-way.ts'
import { until } from '../../../support/wait.ts'

const postgres = await startTestPostgres()

const TRIES_AGAIN = 'PostgreSQL is not reachable: the hub tries again'

it.skipIf(!postgres)(
  'a hub waits for a PostgreSQL that falls silent as it joins the others, and again behind that, and says so once',
  async () => {
    if (!postgres) throw new Error('the test is skipped without PostgreSQL')
    const way = await wayTo(await postgres.database())
    const said: string[] = []
    let joins = 0
    const join: typeof joinHubs = async (config, deps) => {
      joins += 1
      // As test/whole/server/cluster/link.test.ts has it.
      if (joins === 1) throw new HubError('UNAVAILABLE')
      const joined = await joinHubs(config, deps)
      way.freeze()
      return joined
    }
    const config = readConfig({
      ...{ HUB_HTTP_PORT: '0', HUB_MQTT_PORT: '0', HUB_ADMIN_PORT: '0' },
      ...{ HUB_DATA_DIR: temporaryFolder(), HUB_MASTER_KEY: TEST_MASTER_KEY.toString('base64') },
      HUB_DATABASE_URL: way.url,
    })
    const log = createLog('warn', { write: (line) => void said.push(JSON.parse(line).msg) })
    const storageIsAway = () => said.includes('the connection to the other hubs is lost: it is opened again')
    const ids = createRandomIds()
    const starting = startHub(config, { clock: systemClock, ids, log, openStorage: openHere, join })
    starting.then(
      (hub) => onTestFinished(() => hub.stop()),
      () => undefined,
    )
    await until('the circuit that gives the link up', storageIsAway)
    way.cut()
    const { http } = await starting
    await until('a ready hub', async () => (await fetch(`${http}/readyz`)).status === 200)
    expect(joins).toBe(2)
    expect(said.filter((line) => line === TRIES_AGAIN)).toHaveLength(1)
  },
)
