import { readdirSync, readFileSync } from 'node:fs'
import type { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Parts } from '../../../../server/console/parts/visit.ts'
import { pagesInThread, startWorker } from '../../../../server/console/thread/client.ts'
import { systemClock } from '../../../../server/platform/clock.ts'
import { createLog } from '../../../../server/platform/log.ts'
import type { Storage, StoragePlace } from '../../../../server/storage/ports.ts'
import { hear, sessionsOf } from '../../../server/console/line/viewer.ts'
import { plain } from '../../../server/console/statement-console.ts'
import { AT, createShop } from '../../../server/storage/shop.ts'
import { ACCOUNT, verbsOn } from '../../../server/storage/statement-world.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { startTestPostgres } from '../../../support/postgres.ts'
import { findProgram } from '../../../support/processes/program.ts'
import { LOTUS } from '../../../support/statements/banks.ts'
import { openTestStorage, TEST_MASTER_KEY } from '../../../support/storage.ts'
import { eventually } from '../../../support/wait.ts'

const postgres = await startTestPostgres()
const masterKeys = [Uint8Array.from(TEST_MASTER_KEY)]

async function onSqlite() {
  const { storage, file } = openTestStorage()
  return { storage, place: { file, masterKeys } }
}

async function onPostgres() {
  if (!postgres) throw new Error('no PostgreSQL')
  const url = await postgres.database()
  return { storage: await postgres.open(url), place: { url, masterKeys } }
}

const DAY_MS = 24 * 60 * 60_000
const clock = { ...systemClock, now: () => Date.now() + DAY_MS }

/** The pages of a hub whose clock is a day ahead, and what a person asks of them. */
async function pagesOf({ storage, place }: { storage: Storage; place: StoragePlace }) {
  const workers: Worker[] = []
  const sessions = sessionsOf(storage, clock)
  const begun = await sessions.logIn(await sessions.makeLink(OPERATOR, { name: 'Minh', role: 'operator' }))
  if (!begun) throw new Error('not logged in')
  const who = begun.session
  const verbs = {} as Parts['verbs']
  const parts = { storage, sessions, hubSince: clock.now(), clock, retentionWaits: () => true, verbs }
  const pages = pagesInThread({ place, parts, log: createLog('silent') }, (data) => {
    const worker = startWorker(data)
    workers.push(worker)
    return worker
  })
  onTestFinished(pages.close)
  const ask = (path: string, method = 'GET') =>
    pages.answer({ method, url: `http://hub${path}`, encodings: '', lang: 'en', who })
  const text = async (path: string) => plain(await (await ask(path)).text())
  return { pages, workers, ask, text }
}

describe.each([
  ['SQLite', onSqlite],
  ['PostgreSQL', onPostgres],
] as const)('the thread of the pages, on %s', (name, open) => {
  const test = it.skipIf(name === 'PostgreSQL' && !postgres)

  test('shows what was stored a moment ago, and has the hub store what it finds', async () => {
    const opened = await open()
    const { storage } = opened
    const shop = createShop(storage)
    const clientId = await shop.partner('sbc_1')
    await shop.speaker(clientId)
    const verbs = verbsOn(storage)
    if (LOTUS.profile) await verbs.saveProfile(OPERATOR, LOTUS.name, LOTUS.profile)
    const { text, ask } = await pagesOf(opened)
    const bytes = LOTUS.write([{ at: AT, amount: 5_000, direction: 'credit', reference: 'FT5', text: '' }], 0)
    const id = await verbs.importStatement(OPERATOR, {
      ...{ clientId, account: ACCOUNT, profile: LOTUS.name, bytes },
    })
    expect(await text(`/day/statements/${id}`)).toContain('File 1 = matched 0 + differs 0 + bank only 1')
    await shop.pay(clientId, { ftCode: 'FT5', amount: '5000', paidAt: AT, receivedAt: AT })
    expect(await text('/payments')).toContain('FT5')
    expect(await text(`/day/statements/${id}`)).toContain('File 1 = matched 1')
    const matched = { bucket: 'matched', after: 0, limit: 9 } as const
    expect(await storage.statements.rows(id, matched)).toHaveLength(1)
    const refused = await ask('/devices?battery=101')
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('must be 0 to 100')])
    expect((await ask('/day/statements/none')).status).toBe(404)
  })
})

it('goes by the time of the hub, and by its doubt of it', async () => {
  const { text } = await pagesOf(await onSqlite())
  const tomorrow = new Date(clock.now()).toISOString().slice(0, 10)
  expect(await text('/day?zone=UTC')).toContain(`Day ${tomorrow}`)
  await eventually(async () => expect(await text('/')).toContain('Retention waits'))
})

/** Of sched(7). */
const SCHED_IDLE = '5'
/** The scheduling policies of the threads of this process: proc_pid_stat(5), field 41. */
const policies = () =>
  readdirSync('/proc/self/task').map((id) => {
    const [, fields = ''] = readFileSync(`/proc/self/task/${id}/stat`, 'latin1').split(') ')
    return fields.split(' ')[41 - 3]
  })

it.skipIf(!findProgram('chrt'))('runs only while no payment wants the processor', async () => {
  const { ask } = await pagesOf(await onSqlite())
  await ask('/devices')
  await eventually(() => expect(policies()).toContain(SCHED_IDLE))
})

it('answers where no program can lower its priority', async () => {
  vi.stubEnv('PATH', '/nowhere')
  onTestFinished(() => void vi.unstubAllEnvs())
  const { ask } = await pagesOf(await onSqlite())
  expect((await ask('/devices')).status).toBe(200)
})

it('answers 503 when it fails, ends what is live, and answers the next one', async () => {
  const { pages, workers, ask } = await pagesOf(await onSqlite())
  const live = await ask('/line/live')
  const heard = hear(live.body)
  const lost = ask('/devices')
  const failed = expect(lost).rejects.toMatchObject({ kind: 'UNAVAILABLE' })
  await workers[0]?.terminate()
  await failed
  await eventually(() => expect(heard.isOver).toBe(true))
  expect((await ask('/devices')).status).toBe(200)
  expect(workers).toHaveLength(2)
  pages.stop()
  expect((await ask('/line/live')).status).toBe(503)
})

it('sends a file as it is read, and nothing for a head', async () => {
  const { ask } = await pagesOf(await onSqlite())
  const file = await ask('/devices?as=csv')
  expect(file.headers.get('Content-Disposition')).toContain('devices.csv')
  expect(await file.text()).toMatch(/# rows,0\r\n$/)
  const head = await ask('/line/live', 'HEAD')
  expect([head.status, head.body]).toEqual([200, null])
})

it('ends with the hub', async () => {
  const { pages, workers, ask } = await pagesOf(await onSqlite())
  const heard = hear((await ask('/line/live')).body)
  pages.stop()
  await eventually(() => expect([heard.isOver, ...heard.events]).toEqual([true, 'end hub']))
  let code: number | undefined
  workers[0]?.once('exit', (exited) => {
    code = exited
  })
  await pages.close()
  // It ends by itself: 1 would say that it was cut off.
  expect(code).toBe(0)
})
