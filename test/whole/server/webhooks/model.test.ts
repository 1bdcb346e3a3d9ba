import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byPartner } from '../../../../server/security/actor.ts'
import type { OpenStorage } from '../../../server/storage/storage-contract.ts'
import { secretOf, statesOf, webhookWorld } from '../../../server/storage/webhook-world.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { settle } from '../../../support/clock.ts'
import { startTestPostgres } from '../../../support/postgres.ts'
import { SEED } from '../../../support/seed.ts'
import { openTestStorage } from '../../../support/storage.ts'
import { createWorld } from '../../../support/webhooks/world.ts'

const ID = 'wh_1'
/** What is due begins within this time: some looks of the hub. */
const LAG_MS = 5_000
/** The longest wait of an endpoint that has failed ten times in a row. */
const PROBE_MS = 5 * 60_000
const FAILURES_TO_HOLD = 10
/** After as many attempts a delivery is failed for good. */
const MOST_ATTEMPTS = 11
const REPLY_MS = 50
/** Between two looks at what the rules allow. The storage has answered everything before time goes on. */
const STEP_MS = 500

/**
 * One webhook of a real storage, hubs that send to it, and what the rules allow: each event begins at once, unless the
 * endpoint has failed ten times in a row since its last success, change or start of the hub. Then a request begins at
 * least every five minutes.
 */
async function begin(open: OpenStorage) {
  const { storage, clientId, add } = await webhookWorld(open)
  await add(ID, { types: ['webhook.test'] })
  const world = createWorld({ ports: { queue: storage.webhookQueue, events: storage.events } })
  const { clock } = world
  const now = () => clock.elapsed()
  let hub: ReturnType<typeof world.start> | undefined
  let isGood = true
  let isEnabled = true
  let [failures, calmSince, upSince, enabledSince, lastRequestAt] = [0, 0, 0, 0, 0]
  /** Since then nothing has failed, and what was pending was due. */
  let allDueSince: number | undefined
  /** By id: when they were told. */
  const told = new Map<string, number>()
  const attempts = new Map<string, number>()
  const confirmed = new Set<string>()
  const busyUntil = new Map<string, number>()

  world.answer = ({ eventId }) => {
    expect(busyUntil.get(eventId) ?? 0, `${eventId} is under way twice`).toBeLessThanOrEqual(now())
    busyUntil.set(eventId, now() + REPLY_MS)
    attempts.set(eventId, (attempts.get(eventId) ?? 0) + 1)
    lastRequestAt = now()
    if (isGood) confirmed.add(eventId)
    if (isGood) calm()
    else failures += 1
    return { status: isGood ? 204 : 500, ms: REPLY_MS }
  }

  function calm() {
    if (failures >= FAILURES_TO_HOLD) calmSince = now()
    failures = 0
  }

  function judge() {
    if (!hub || !isEnabled) return
    const since = Math.max(upSince, enabledSince)
    const untried = [...told].filter(([id]) => !attempts.has(id)).map(([, at]) => at)
    if (untried.length > 0) {
      const oldest = Math.max(since, Math.min(...untried))
      const lateMs = now() - Math.max(oldest, calmSince)
      if (failures < FAILURES_TO_HOLD) expect(lateMs, 'an event waits').toBeLessThanOrEqual(LAG_MS)
      const silentMs = now() - Math.max(oldest, lastRequestAt)
      expect(silentMs, 'nobody tries').toBeLessThanOrEqual(PROBE_MS + LAG_MS)
    }
    if (!isGood || allDueSince === undefined || now() - Math.max(allDueSince, since) <= LAG_MS) return
    const before = now() - LAG_MS
    const late = [...told].filter(([id, at]) => at < before && isOpen(id)).map(([id]) => id)
    expect(late, 'pending after a repair').toEqual([])
  }

  const isOpen = (id: string) => !confirmed.has(id) && (attempts.get(id) ?? 0) < MOST_ATTEMPTS

  async function pass(ms: number) {
    for (let left = ms; left > 0; left -= STEP_MS) {
      await clock.wind(Math.min(left, STEP_MS))
      do await settle()
      while (world.calls() > 0)
      judge()
    }
  }

  async function change(by: Parameters<typeof storage.webhooks.change>[2]) {
    await storage.webhooks.change(byPartner(clientId), ID, by, clock.now())
    calm()
    hub?.changed(ID)
  }

  const life = {
    pass,
    isUp: () => hub !== undefined,
    async tell() {
      told.set(await storage.events.addTest(clientId, ID, clock.now()), now())
    },
    answers(good: boolean) {
      isGood = good
      if (!good) allDueSince = undefined
    },
    describe: () => change({ description: `at ${now()}` }),
    async move() {
      await change({ url: `https://${ID}.example/${now()}` })
      allDueSince = isGood ? now() : undefined
    },
    async enable() {
      await change({ state: 'enabled' })
      if (!isEnabled) enabledSince = now()
      isEnabled = true
      allDueSince = isGood ? now() : undefined
    },
    async disable() {
      await change({ state: 'disabled' })
      isEnabled = false
    },
    async rotate() {
      await storage.webhooks.rotate(
        byPartner(clientId),
        ID,
        secretOf(`at ${now()}`),
        clock.now(),
        clock.now(),
      )
      calm()
      hub?.changed(ID)
    },
    async replay() {
      const upTo = (await storage.events.heads([clientId])).get(clientId) ?? 0
      if (upTo > 0) await storage.webhooks.replayRange(OPERATOR, ID, { after: 0, upTo, count: told.size }, 0)
      hub?.changed(ID)
    },
    kill() {
      hub?.kill()
      hub = undefined
    },
    start() {
      // What the hub before had under way may come again.
      busyUntil.clear()
      calm()
      upSince = now()
      hub = world.start()
    },
    /** All is well again: everything arrives. */
    async end() {
      if (!hub) life.start()
      life.answers(true)
      await life.enable()
      await pass(4 * LAG_MS)
      expect([...told.keys()].filter(isOpen)).toEqual([])
      const open = (await statesOf(storage, ID)).filter(([, state]) => state === 'pending')
      expect(open).toEqual([])
      expect((await storage.webhooks.backlog(ID))?.replay).toBeUndefined()
      expect(world.lines).toEqual([])
      const stopped = hub?.stop()
      await pass(STEP_MS)
      await stopped
    },
  }
  life.start()
  return life
}

type Life = Awaited<ReturnType<typeof begin>>
type Command = fc.AsyncCommand<object, Life>

const postgres = await startTestPostgres()
let run = 0

const command = (name: string, act: (life: Life) => unknown): Command => ({
  check: () => true,
  async run(_model, life) {
    run += 1
    await act(life)
    await life.pass(STEP_MS)
  },
  toString: () => name,
})

/** A command that comes `times` as often as the others. */
const often = (times: number, name: string, act: (life: Life) => unknown) =>
  Array.from({ length: times }, () => fc.constant(command(name, act)))

const COMMANDS = [
  ...often(3, 'tell', (life) => life.tell()),
  fc.integer({ min: 3, max: 12 }).map((count) =>
    command(`tell ${count}`, async (life) => {
      for (let n = 0; n < count; n += 1) await life.tell()
    }),
  ),
  fc.integer({ min: 1, max: 100 }).map((s) => command(`wait ${s} s`, (life) => life.pass(s * 1_000))),
  ...often(1, 'wait for a probe', (life) => life.pass(PROBE_MS + LAG_MS)),
  ...often(2, 'fail', (life) => life.answers(false)),
  ...often(1, 'heal', (life) => life.answers(true)),
  ...often(1, 'change the description', (life) => life.describe()),
  ...often(1, 'change the url', (life) => life.move()),
  ...often(1, 'rotate', (life) => life.rotate()),
  ...often(1, 'disable', (life) => life.disable()),
  ...often(2, 'enable', (life) => life.enable()),
  ...often(1, 'replay', (life) => life.replay()),
  ...often(1, 'kill', (life) => life.kill()),
  ...often(2, 'start', (life) => life.isUp() || life.start()),
]

async function lives(open: OpenStorage, numRuns: number) {
  run = 0
  await fc.assert(
    fc.asyncProperty(fc.commands(COMMANDS, { maxCommands: 40, size: 'max' }), async (commands) => {
      const life = await begin(open)
      await fc.asyncModelRun(() => ({ model: {}, real: life }), commands)
      await life.end()
    }),
    { numRuns, seed: SEED, endOnFailure: true },
  )
  expect(run).toBeGreaterThan(numRuns * 5)
}

const LATER = 'is never later than the rules allow, never lost, and never under way twice'

describe('an event of a webhook that fails, heals, is changed, rotated, disabled, replayed, with hubs that die', () => {
  it(`${LATER}, on SQLite`, () =>
    lives(async () => {
      const { storage, reopen } = openTestStorage()
      return {
        storage,
        reopen: async () => reopen(),
        openOther: async () => storage,
        passTime: () => undefined,
        tables: async () => ({}),
      }
    }, 40))

  it(`${LATER}, on PostgreSQL`, async ({ skip }) => {
    if (!postgres) return skip()
    const { database, open } = postgres
    await lives(async () => {
      const storage = await open(await database())
      return {
        storage,
        reopen: async () => storage,
        openOther: async () => storage,
        passTime: () => undefined,
        tables: async () => ({}),
      }
    }, 6)
  })
})
