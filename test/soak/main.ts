import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createRandomIds } from '../../server/platform/ids.ts'
import { createVault } from '../../server/security/vault.ts'
import { openSqliteStorage } from '../../server/storage/sqlite/storage.ts'
import { startOwnHub } from '../support/processes/own-hub.ts'
import { storageOptions } from '../support/storage-options.ts'
import { runSoak } from './run.ts'

const { values } = parseArgs({
  options: {
    speakers: { type: 'string', default: '500' },
    minutes: { type: 'string', default: '10' },
    rate: { type: 'string', default: '20' },
    kills: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
  },
})
const options = {
  speakers: Number(values.speakers),
  minutes: Number(values.minutes),
  rate: Number(values.rate),
  kills: Number(values.kills),
  seed: Number(values.seed),
}
const say = (line: string) => process.stdout.write(`${line}\n`)

const dataDir = mkdtempSync(join(tmpdir(), 'soundbox-soak-'))
const ids = createRandomIds()
const masterKey = ids.deviceKey()
const hub = await startOwnHub({ dataDir, masterKey })
const storage = openSqliteStorage(
  join(dataDir, 'hub.db'),
  storageOptions({ vault: createVault(masterKey), ids }),
)
try {
  const { payments, heardOnce, missed, wrong, told, flaps, powerCuts, retries } = await runSoak(
    hub,
    storage,
    options,
    say,
  )
  for (const line of wrong) say(line)
  say(
    `${payments} payments, ${flaps} flaps, ${options.kills} kills, ${retries} retries: ${heardOnce} heard exactly once, ${missed} missed by speakers that were away, ${wrong.length} wrong (seed ${options.seed})`,
  )
  say(
    `${payments} payments = ${told.spoken} spoken + ${told.shown} shown as missed, by what the speakers did; ${powerCuts} power cuts in queues`,
  )
  // If no speaker ever connected, all payments would be missed and none wrong.
  const isHeard = heardOnce > payments / 2
  if (!isHeard) say('Most payments were heard by nobody: that proves nothing.')
  process.exitCode = wrong.length === 0 && isHeard ? 0 : 1
} finally {
  storage.close()
  await hub.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
