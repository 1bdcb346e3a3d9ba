import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createPartner } from '../../../server/partners/manage-partners.ts'
import { systemClock } from '../../../server/platform/clock.ts'
import { createRandomIds } from '../../../server/platform/ids.ts'
import { createVault } from '../../../server/security/vault.ts'
import { openSqliteStorage } from '../../../server/storage/sqlite/storage.ts'
import { createShop } from '../../server/storage/shop.ts'
import { OPERATOR } from '../../support/actors.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { startOwnHub } from '../../support/processes/own-hub.ts'
import { installProcessor } from '../../support/samples/processor.ts'
import { LANGUAGES, missing } from '../../support/samples/samples.ts'
import { layDatabase, TEST_MASTER_KEY } from '../../support/storage.ts'
import { storageOptions } from '../../support/storage-options.ts'
import { until } from '../../support/wait.ts'

/** More refused callbacks than the limit lets pass at once. */
const LIMIT = { HUB_RATE_PER_SECOND: '4', HUB_RATE_BURST: '5' }
const WRONG = 8

/** A hub with low limits in a process of its own, a partner with a till, and the database for what goes wrong in it. */
async function openHub() {
  const dataDir = temporaryFolder()
  const file = join(dataDir, 'hub.db')
  layDatabase(file)
  const ids = createRandomIds()
  const storage = openSqliteStorage(file, storageOptions({ vault: createVault(TEST_MASTER_KEY), ids }))
  const partners = { by: OPERATOR, partners: storage.partners, clock: systemClock, ids }
  const credentials = await createPartner(partners, 'Acme')
  await createShop(storage).speaker(credentials.clientId, 'T-01', Date.now())
  onTestFinished(() => storage.close())
  const hub = await startOwnHub({ dataDir, masterKey: TEST_MASTER_KEY, env: LIMIT })
  onTestFinished(() => hub.kill())
  const database = new Database(file, { timeout: 60_000 })
  onTestFinished(() => void database.close())
  const logIn = () =>
    fetch(`${hub.http}/api/v1/partner/auth/token`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Connection: 'close' },
      body: JSON.stringify(credentials),
    })
  return {
    hub,
    credentials,
    /** How often each transaction is recorded, in their order. */
    recorded: () =>
      database
        .prepare<[], { code: string; count: number }>(
          'SELECT ft_code AS code, count(*) AS count FROM payments GROUP BY ft_code ORDER BY ft_code',
        )
        .all(),
    logins: () => Number(database.prepare('SELECT count(*) FROM token_families').pluck().get()),
    /** As an operator does who fears that somebody else has them. Resolves when the hub refuses them. */
    async killTokens() {
      const { accessToken } = Object(
        await until('a token', async () => {
          const answer = await logIn()
          return answer.status === 200 && answer.json()
        }),
      )
      await storage.partners.disable(OPERATOR, credentials.clientId, Date.now())
      await storage.partners.enable(OPERATOR, credentials.clientId, Date.now())
      const headers = { Authorization: `Bearer ${accessToken}`, Connection: 'close' }
      await until('a dead token', async () => {
        const answer = await fetch(`${hub.http}/api/v1/partner/store`, { headers })
        return answer.status === 401
      })
    },
    /** Nothing can be written meanwhile. */
    async hangStorage(meanwhile: () => Promise<void>) {
      database.exec('BEGIN IMMEDIATE')
      try {
        await until('a hub that says so', async () => (await logIn()).status === 503)
        await meanwhile()
      } finally {
        database.exec('ROLLBACK')
      }
    },
  }
}

/** Runs the processors in some languages, by the extensions of their samples, through all that may go wrong. */
export function testProcessors(extensions: readonly string[]) {
  const languages = LANGUAGES.filter(({ extension }) => extensions.includes(extension))
  describe.each(languages)('the processor in $name', (language) => {
    const why = missing(language)

    it('records each payment once through dead tokens, a limit, a hung storage, and kills of the hub and of itself', async ({
      skip,
    }) => {
      skip(why !== undefined, why)
      const { hub, credentials, recorded, logins, killTokens, hangStorage } = await openHub()
      const { clientId, clientSecret } = credentials
      const values = { HUB: hub.http, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret }
      const processor = await installProcessor(language, values)
      const all = () =>
        until('each payment', () => processor.waiting() === 0 && recorded().length === processor.codes.length)

      await processor.keep(5)
      processor.run()
      await all()
      await killTokens()
      const before = logins()
      await processor.keep(5)
      await all()
      expect(logins()).toBe(before + 1)

      await processor.keep(WRONG, { terminalID: 'NONE' })
      await processor.keep(5)
      await all()
      await until('what a person looks at', () => processor.stopped() === WRONG)

      await hangStorage(async () => {
        await processor.keep(5)
        if (!language.usesClient) await processor.untilSaid(/ 503 /)
      })
      await all()

      await hub.kill()
      await processor.keep(5)
      if (!language.usesClient) await processor.untilSaid(/no answer/)
      await processor.kill()
      await hub.start()
      processor.run()
      await processor.keep(20)
      await until('some of them', () => recorded().length > 26)
      await processor.kill()
      await killTokens()
      await hub.killAndRestart()
      processor.run()
      await all()

      expect(recorded()).toEqual(processor.codes.map((code) => ({ code, count: 1 })))
      expect(processor.stopped()).toBe(WRONG)
      const alerts = processor.said().match(/^ALERT.*/gm) ?? []
      expect(alerts.filter((alert) => !alert.includes('40016'))).toEqual([])
      expect(alerts).toHaveLength(WRONG)
      if (!language.usesClient) expect(processor.said()).toMatch(/ 429 /)
    })
  })
}
