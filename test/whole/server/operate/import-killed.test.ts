import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { IMPORTED } from '../../../../server/storage/postgres/import/tables.ts'
import { createShop, payWell } from '../../../server/storage/shop.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { startTestPostgres } from '../../../support/postgres.ts'
import { PATIENT } from '../../../support/processes/postgres.ts'
import { hubEnv, runHub, start } from '../../../support/processes/process.ts'
import { eventually } from '../../../support/wait.ts'
import { answers, answersThere, filledFolder, openFilled } from './filled-folder.ts'
import { type Fault, openFaultyWay } from './statement-fault.ts'

const postgres = await startTestPostgres()

/** Where one import after the other is killed, on one database. */
const KILLED: readonly (Fault & { what: string })[] = [
  { what: 'before it begins', statement: 'import.lock', when: 'unsent' },
  { what: 'before the commit of its begin', statement: 'import.begin', when: 'answered' },
  { what: 'at the commit of its begin', statement: 'commit', when: 'answered', behind: 'import.begin' },
  { what: 'before the first row', statement: 'import.insert.partners', when: 'unsent' },
  { what: 'before the commit of a page', statement: 'import.insert.payments', when: 'answered' },
  {
    what: 'at the commit of a page',
    statement: 'commit',
    when: 'answered',
    behind: 'import.insert.payments',
  },
  { what: 'in a table', statement: 'import.insert.audit', when: 'unsent', behind: 'import.insert.audit' },
  { what: 'as it compares', statement: 'import.same.bills', when: 'unsent' },
  { what: 'when all is compared', statement: 'import.count.audit', when: 'answered' },
  { what: 'before its end', statement: 'import.seqs', when: 'answered' },
  { what: 'before the commit of its end', statement: 'import.end', when: 'answered' },
  {
    what: 'at its last commit, before its report',
    statement: 'commit',
    when: 'answered',
    behind: 'import.end',
  },
  { what: 'as it compares again', statement: 'import.same.bills', when: 'answered' },
  { what: 'before it reports again', statement: 'import.amount', when: 'unsent' },
]

describe.skipIf(!postgres)('hub import that is killed', () => {
  const envOn = (url: string) => hubEnv(temporaryFolder(), { HUB_DATABASE_URL: url })
  const importing = (folder: string, url: string) =>
    runHub(['import', '--from', folder, '--json'], envOn(url))

  async function opened() {
    const url = (await postgres?.database()) ?? ''
    const client = new Client(url)
    await client.connect()
    onTestFinished(() => client.end())
    /** The rows of each table that an import fills, without the audit row of the import. */
    async function counts() {
      const all = IMPORTED.map(
        ({ name, own = 'false' }) =>
          `SELECT '${name}' AS name, count(*)::integer AS count FROM ${name} WHERE NOT (${own})`,
      )
      const { rows } = await client.query(all.join(' UNION ALL '))
      return Object.fromEntries(rows.map(({ name, count }) => [String(name), Number(count)]))
    }
    /** Runs an import that ends by kill -9 at the fault. */
    async function killed(folder: string, fault: Fault) {
      const way = await openFaultyWay(`${url}${PATIENT}`, fault, () => void running.child.kill('SIGKILL'))
      const running = start(
        process.execPath,
        ['server/operate/cli/main.ts', 'import', '--from', folder, '--json'],
        envOn(way.url),
      )
      expect(await running.ended).toEqual({ code: null, stdout: '', stderr: '' })
      expect(way.isCut()).toBe(true)
      // Its transaction is over.
      await eventually(async () => {
        const { rows } = await client.query(
          'SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
        )
        expect(rows).toEqual([])
      })
    }
    return { url, client, counts, killed }
  }

  it('brings every row once, wherever it was killed, and the run behind the last commit says that all is there', async () => {
    const filled = await filledFolder()
    const { url, counts, killed } = await opened()
    let before = await counts()
    for (const { what, ...fault } of KILLED) {
      await killed(filled.folder, fault)
      const after = await counts()
      // Nothing that was committed is lost.
      for (const [name, count] of Object.entries(before))
        expect([what, name, after[name] ?? 0]).toEqual([what, name, Math.max(count, after[name] ?? 0)])
      before = after
    }
    const { code, stderr, json } = await importing(filled.folder, url)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(json).toMatchObject({
      ...{ from: filled.folder, state: 'known', rows: before, amount: '400000' },
      added: Object.fromEntries(IMPORTED.map(({ name }) => [name, 0])),
      importedAt: expect.stringMatching(/^20\d\d-/),
    })
    expect(await counts()).toEqual(before)
    const storage = await postgres?.open(url)
    expect(storage && (await answers(storage, filled))).toEqual(await answersThere(filled))
  })

  it('says what this run has added, and what is there', async () => {
    const filled = await filledFolder()
    const { url, counts, killed } = await opened()
    await killed(filled.folder, {
      statement: 'import.insert.audit',
      when: 'unsent',
      behind: 'import.insert.audit',
    })
    const first = await counts()
    expect([first.payments, first.audit]).toEqual([8, 1_000])
    const { code, json } = await importing(filled.folder, url)
    const { state, rows, added } = Object(json)
    expect([code, state, added.payments, rows.payments]).toEqual([0, 'imported', 0, 8])
    expect(added.audit).toBe(rows.audit - 1_000)
    expect(await counts()).toEqual(rows)
  })

  it('says what to do when the connection is lost, also at its last commit', async () => {
    const { folder } = await filledFolder()
    const { url } = await opened()
    for (const behind of ['import.insert.payments', 'import.end']) {
      const fault = { statement: 'commit', when: 'answered', behind } as const
      const way = await openFaultyWay(url, fault, () => way.close())
      const { code, stdout, stderr } = await importing(folder, way.url)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(/^PostgreSQL answers no more \(.+\): run hub import again, .*\.\n$/)
    }
    expect((await importing(folder, url)).json).toMatchObject({ state: 'known' })
  })

  it('changes nothing in a database that was used since, and refuses another folder and one that was used itself', async () => {
    const filled = await filledFolder()
    const { url, client, counts } = await opened()
    expect((await importing(filled.folder, url)).code).toBe(0)
    const storage = await postgres?.open(url)
    if (!storage) throw new Error('there is no PostgreSQL')
    await payWell(createShop(storage), filled.clientId, { ftCode: 'later' })
    const used = await counts()

    // Also while a hub beats on it.
    await client.query(
      `INSERT INTO hubs (id, host, pid, version, started_at, beat_at, clock_ahead_ms)
       VALUES ('hub', 'there', 7, '1.2.3', 0, clock_ms() + 3600000, 0)`,
    )
    const again = await importing(filled.folder, url)
    expect(again).toMatchObject({ code: 0, stderr: '' })
    const { state, rows, added, amount, todo } = Object(again.json)
    expect([state, rows, amount]).toEqual(['used', used, '450000'])
    expect(Object.values(added).filter((count) => count !== 0)).toEqual([])
    expect(todo).toHaveLength(1)

    const other = await filledFolder()
    const refused = await importing(other.folder, url)
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toMatch(
      /^The PostgreSQL database has the import of \S+ on 20\S+Z, and this run has brought nothing of \S+: name an empty database in HUB_DATABASE_URL\.\n$/,
    )
    expect(refused.stderr).toContain(filled.folder)

    const { storage: folder } = await openFilled(filled.folder)
    await folder.partners.disable(OPERATOR, filled.clientId, Date.now())
    await folder.close()
    const late = await importing(filled.folder, url)
    expect(late).toMatchObject({ code: 1, stdout: '' })
    expect(late.stderr).toMatch(
      /^The folder \S+ was imported on 20\S+Z, and something has written to it since: the table partners differs \(2 rows/,
    )
    expect(await counts()).toEqual(used)
  })
})
