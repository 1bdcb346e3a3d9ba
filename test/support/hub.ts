import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { mintDevice } from '../../server/devices/mint-devices.ts'
import { sb1 } from '../../server/dialects/sb1/index.ts'
import { type RunningHub, startHub } from '../../server/hub.ts'
import { createPartner } from '../../server/partners/manage-partners.ts'
import { type Clock, systemClock } from '../../server/platform/clock.ts'
import { readConfig } from '../../server/platform/config.ts'
import { createRandomIds } from '../../server/platform/ids.ts'
import { createLog, type Logger } from '../../server/platform/log.ts'
import { createVault } from '../../server/security/vault.ts'
import type { Storage } from '../../server/storage/ports.ts'
import { openHere } from '../../server/storage/sqlite/file/open-folder.ts'
import { openSqliteStorage } from '../../server/storage/sqlite/storage.ts'
import { OPERATOR } from './actors.ts'
import { type OnEnd, temporaryFolder } from './folder.ts'
import { layDatabase, TEST_MASTER_KEY } from './storage.ts'
import { storageOptions } from './storage-options.ts'

export interface TestHub extends RunningHub {
  /** Empty when it is switched off. */
  mqtt: string
  dataDir: string
  /** A second connection to the hub's own file, as the command line has it. */
  storage: Storage
  partner(name?: string): Promise<{ clientId: string; clientSecret: string }>
  device(serial?: string): Promise<{ serial: string; key: string }>
}

/** A real hub on free loopback ports, with a data folder of its own; stopped when the test is. */
export async function startTestHub(
  options: {
    clock?: Clock
    dataDir?: string
    env?: Record<string, string>
    log?: Logger
    onEnd?: OnEnd
  } = {},
): Promise<TestHub> {
  const { clock = systemClock, env = {}, log = createLog('silent'), onEnd = onTestFinished } = options
  const dataDir = options.dataDir ?? temporaryFolder(onEnd)
  if (options.dataDir === undefined) layDatabase(join(dataDir, 'hub.db'), onEnd)
  const ids = createRandomIds()
  const config = readConfig({
    HUB_HTTP_PORT: '0',
    HUB_MQTT_PORT: '0',
    HUB_ADMIN_PORT: '0',
    HUB_DATA_DIR: dataDir,
    HUB_MASTER_KEY: TEST_MASTER_KEY.toString('base64'),
    ...env,
  })
  const hub = await startHub(config, { clock, ids, log, openStorage: openHere })
  const storage = openSqliteStorage(
    `${dataDir}/hub.db`,
    storageOptions({ vault: createVault(TEST_MASTER_KEY), ids }),
  )
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= hub.stop()
    return stopped
  }
  onEnd(async () => {
    storage.close()
    await stop()
  })
  return {
    ...hub,
    mqtt: hub.mqtt ?? '',
    stop,
    dataDir,
    storage,
    partner: (name = 'Acme') => createPartner({ by: OPERATOR, partners: storage.partners, clock, ids }, name),
    async device(serial) {
      const minted = await mintDevice(
        { by: OPERATOR, devices: storage.devices, loginHash: sb1.loginHash, clock, ids },
        serial,
      )
      if (!minted) throw new Error(`the serial ${serial} is taken`)
      return minted
    },
  }
}
