import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createRandomIds } from '../../../../../server/platform/ids.ts'
import { SESSION_OPTIONS } from '../../../../../server/storage/postgres/engine/primary.ts'
import { hubRules } from '../../../../../server/storage/rules.ts'
import { storeSecrets } from '../../../../server/storage/secrets.ts'
import { createShop } from '../../../../server/storage/shop.ts'
import { storageContract } from '../../../../server/storage/storage-contract.ts'
import { postgresTables } from '../../../../server/storage/tables.ts'
import { createVirtualClock } from '../../../../support/clock.ts'
import { startTestPostgres } from '../../../../support/postgres.ts'
import { until } from '../../../../support/wait.ts'
import { unboundedSteps, watchStatements } from './query-plans.ts'

const statements = watchStatements()
const postgres = await startTestPostgres()

describe.skipIf(!postgres)('on PostgreSQL', () => {
  if (!postgres) return
  const { database, open } = postgres

  storageContract('PostgreSQL', async (rules = {}) => {
    const url = await database()
    const clock = createVirtualClock()
    // Each look at the changes asks for the next one when it has ended.
    let looks = 0
    let asked = 0
    const watched = {
      after(ms: number, act: () => void) {
        asked += 1
        return clock.after(ms, () => {
          looks += 1
          act()
        })
      },
    }
    const ids = createRandomIds()
    const options = { ids, clock: watched, rules: { ...hubRules(ids), ...rules } }
    let storage = await open(url, options)
    return {
      storage,
      async reopen() {
        await storage.close()
        storage = await open(url, options)
        return storage
      },
      openOther: () => open(url),
      tables: () => postgresTables(url),
      async passTime() {
        await clock.wind(1_000)
        await until('the end of the look', () => looks < asked || asked === 0)
      },
    }
  })

  describe('the statements that the contract has run', () => {
    it('have a name each', () => {
      expect(statements.size).toBeGreaterThan(100)
      // Without a name: what is sent once.
      expect([...statements].filter(([name, texts]) => name !== '' && texts.size > 1)).toEqual([])
    })

    it('scan no table that grows', async () => {
      const client = new Client({ connectionString: await database(), options: SESSION_OPTIONS })
      await client.connect()
      onTestFinished(() => client.end())
      const texts = new Map([...statements].map(([name, [text = '']]) => [name, text]))
      expect(await unboundedSteps(client, texts)).toEqual([])
    })
  })

  it('leaves no secret and no personal number readable in a table', async () => {
    const url = await database()
    const expectSealed = await storeSecrets(await open(url))
    const client = new Client(url)
    await client.connect()
    onTestFinished(() => client.end())
    const tables = await client.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    const read: Buffer[] = []
    for (const { tablename } of tables.rows) {
      const { rows } = await client.query({ text: `SELECT * FROM ${tablename}`, rowMode: 'array' })
      read.push(
        ...rows.flat().map((value) => (Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value)))),
      )
    }
    expectSealed(Buffer.concat(read), 'a table')
  })

  it('commits the waiting writes before it closes', async () => {
    const url = await database()
    const storage = await open(url)
    const minted = createShop(storage).device('SPK-1')
    await storage.close()
    await minted
    expect(await (await open(url)).devices.list()).toMatchObject([{ serial: 'SPK-1' }])
  })
})
