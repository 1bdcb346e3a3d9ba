import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '../../server/platform/clock.ts'
import { createRandomIds } from '../../server/platform/ids.ts'
import { createCursors } from '../../server/platform/lists/cursors.ts'
import { createSlices } from '../../server/platform/lists/slices.ts'
import { reconcile } from '../../server/reconciliation/reconcile.ts'
import { createMatchings } from '../../server/reconciliation/worker/client.ts'
import { createVault } from '../../server/security/vault.ts'
import { hubRules } from '../../server/storage/rules.ts'
import { openThreadedStorage } from '../../server/storage/writer/storage.ts'
import { AT, createShop } from '../server/storage/shop.ts'
import { OPERATOR } from '../support/actors.ts'
import { BAMBOO, type Movement } from '../support/statements/banks.ts'

/**
 * A statement of 100,000 rows beside callbacks, on SQLite with the writer's thread: how long the import takes, and what it
 * does to the time of a payment's commit. `node --import tsx test/bench/statement.ts`.
 */
const ROWS = Number(process.argv[2] ?? 100_000)
const PER_SECOND = 50
const ACCOUNT = '0001234567'

const folder = mkdtempSync(join(tmpdir(), 'soundbox-statement-'))
const masterKey = Buffer.alloc(32, 7)
const ids = createRandomIds()
const vault = createVault(masterKey)
const options = { vault, ids, clock: systemClock, rules: hubRules(ids) }
const storage = await openThreadedStorage(join(folder, 'hub.db'), masterKey, options)
const shop = createShop(storage)
const clientId = await shop.partner()
await shop.speaker(clientId)

const codeOf = (n: number) => `FT${String(n).padStart(10, '0')}`
for (let n = 0; n < ROWS; n += 100)
  await Promise.all(
    Array.from({ length: Math.min(100, ROWS - n) }, (_, at) =>
      shop.pay(clientId, {
        ftCode: codeOf(n + at),
        paidAt: AT + n + at,
        amount: String(10_000 + ((n + at) % 50)),
      }),
    ),
  )

/** Payments at a steady rate, until it is ended: the milliseconds that each took. */
function callbacks() {
  const taken: number[] = []
  let isOver = false
  const ended = (async () => {
    while (!isOver) {
      const since = performance.now()
      void shop.pay(clientId, { receivedAt: AT + 1 }).then(() => taken.push(performance.now() - since))
      await pause(1_000 / PER_SECOND)
    }
    await pause(200)
    return taken.toSorted((one, other) => one - other)
  })()
  return {
    end() {
      isOver = true
      return ended
    },
  }
}

const told = (taken: number[]) => {
  const at = (share: number) => (taken[Math.floor(taken.length * share)] ?? 0).toFixed(1)
  return `${taken.length} payments, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(0.9999)} ms`
}

const quiet = callbacks()
await pause(10_000)
const alone = told(await quiet.end())

const movements = Array.from(
  { length: ROWS },
  (_, n): Movement => ({
    ...{
      at: AT + n,
      amount: 10_000 + (n % 50),
      direction: 'credit',
      reference: codeOf(n),
      text: `Don hang ${n}`,
    },
  }),
)
const bytes = BAMBOO.write(movements, 0)
const verbs = reconcile({
  ...{ statements: storage.statements, slices: createSlices(), matchings: createMatchings() },
  ...{ cursors: createCursors(vault), clock: systemClock, ids },
})
if (BAMBOO.profile) await verbs.saveProfile(OPERATOR, 'bamboo', BAMBOO.profile)
const busy = callbacks()
const since = performance.now()
const id = await verbs.importStatement(OPERATOR, { clientId, account: ACCOUNT, profile: 'bamboo', bytes })
const importMs = performance.now() - since
const beside = told(await busy.end())
const shownSince = performance.now()
const { sums } = await verbs.showStatement(clientId, id)
const showMs = performance.now() - shownSince
const again = performance.now()
await verbs.showStatement(clientId, id)
const againMs = performance.now() - again
process.stdout.write(
  [
    `rows ${ROWS}, file ${(bytes.length / 1e6).toFixed(1)} MB, matched ${sums.bank.matched.count}`,
    `import ${(importMs / 1_000).toFixed(1)} s; first look ${showMs.toFixed(0)} ms; next look ${againMs.toFixed(1)} ms`,
    `callbacks alone:  ${alone}`,
    `callbacks beside: ${beside}`,
    '',
  ].join('\n'),
)
await storage.close()
rmSync(folder, { recursive: true })
