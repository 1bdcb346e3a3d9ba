import { ALONE } from '../../server/cluster/cluster.ts'
import { clockConfirm } from '../../server/operate/cli/clock.ts'
import { type ClockWatch, createClockWatch } from '../../server/operate/clock-watch.ts'
import { shortestKeepMs, startRetention } from '../../server/operate/retention.ts'
import { issueTokens } from '../../server/partners/tokens.ts'
import { createLog } from '../../server/platform/log.ts'
import type { Storage } from '../../server/storage/ports.ts'
import { openSqliteStorage } from '../../server/storage/sqlite/storage.ts'
import { OPERATOR } from '../support/actors.ts'
import { createTestCore } from '../support/core.ts'
import { storageOptions } from '../support/storage-options.ts'
import type { Disk } from './hub/disk.ts'
import { httpDoor } from './hub/door.ts'
import { watched } from './hub/watched.ts'
import { type Dice, diceFrom } from './kit/dice.ts'
import { createSeededIds } from './kit/ids.ts'
import { BEGINNING, createTimeline } from './kit/timeline.ts'
import { createTurn } from './kit/turn.ts'
import { Violation } from './kit/violation.ts'
import { createBooks, type Entry } from './oracle/books.ts'
import { readFile } from './oracle/file.ts'
import { checkReport } from './oracle/money.ts'
import { movedMoney } from './shop/payment.ts'
import type { Town } from './shop/town.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const KEEP = { keepPaymentsDays: 2, keepEventsDays: 2 }
const KEEP_MS = shortestKeepMs(KEEP)
/** The hub may take a clock for right that is off by less, and a payment was stored up to an action after the one before. */
const OFF_MS = HOUR_MS
/** The hub compares its clock at least so often. */
const LOOKS_EVERY_MS = MINUTE_MS + 1_000
/** Somebody sets a wrong clock right by then: retention trusts one that is steady for 24 hours. */
const REPAIRED_MS = 20 * HOUR_MS
const UNAVAILABLE = 50300

/** Where a test plants its bugs. */
export interface ClockPlants {
  watch?: (watch: ClockWatch, clock: { now(): number }) => ClockWatch
  storage?: (storage: Storage) => Storage
}

export interface ClockOutcome {
  failure: { invariant: string; what: string; steps: string[] } | undefined
  counts: ReadonlyMap<string, number>
}

/**
 * A hub with short keeps whose clock is set, forward and back, by minutes, days and years, while it runs and while it is
 * down; processors report by the true time, and report everything again. What must hold: nothing is deleted before its time
 * by the true time, no payment is counted or taken for new twice, no report is refused for its date, and retention goes on
 * once the clock is steady or confirmed.
 */
export async function runClockWorld(
  seed: number,
  { town, disk }: { town: Town; disk: Disk },
  plants: ClockPlants = {},
): Promise<ClockOutcome> {
  const timeline = createTimeline()
  const dice = diceFrom(seed, 'clock world')
  const ids = createSeededIds(diceFrom(seed, 'ids'), timeline.now)
  const books = createBooks()
  const calls = { underWay: 0 }
  const turn = createTurn(
    () => calls.underWay,
    () => undefined,
  )
  const file = disk.copy(town.file)
  const reader = readFile(file)
  const log = createLog('silent')
  /** When each payment was first on record, by the true time, and which are on record no more. */
  const storedAt = new Map<Entry, number>()
  const gone = new Set<Entry>()
  const counts = new Map<string, number>()
  const steps: string[] = []
  let setTo = 0
  let setAt = 0
  let hub = await startHub()
  for (const { serial } of town.speakers) await hub.storage.devices.revoke(OPERATOR, serial, timeline.now())

  function count(what: string) {
    counts.set(what, (counts.get(what) ?? 0) + 1)
  }

  async function startHub() {
    const options = storageOptions({ vault: town.vault, ids, clock: timeline })
    const opened = openSqliteStorage(file, options)
    const storage = watched((plants.storage ?? ((one) => one))(opened), calls, 0)
    const { audit, retention } = storage
    const own = { retention, clock: timeline, log }
    const real = createClockWatch({ ...own, audit, bridgeMs: KEEP_MS, isAlone: true })
    const clockWatch = plants.watch?.(real, timeline) ?? real
    await clockWatch.look()
    const observe = () => undefined
    const stop = startRetention({
      ...own,
      ...KEEP,
      clockWatch,
      observe,
      leads: () => ALONE.leads('retention'),
    })
    const clocks = { retentionWaits: clockWatch.isDoubted, clockIsBehind: clockWatch.isBehind }
    const core = createTestCore({ storage, vault: town.vault, clock: timeline, ids, log, ...clocks })
    const kill = () => {
      stop()
      void core.health.stop()
      core.waits.stop()
      opened.close()
    }
    return { storage, core, clockWatch, kill }
  }

  async function report(entry: Entry) {
    const { clientId } = entry.money.till.partner
    const { tokens } = hub.storage
    const { accessToken } = await issueTokens({ tokens, clock: timeline, ids }, clientId)
    const word = await httpDoor(hub.core)({ clientId, accessToken }, entry.money.callback)
    if (word.kind === 'refused' && word.code === UNAVAILABLE) return count('reports put off')
    checkReport(entry, word)
    const isRepeat = word.kind === 'accepted' && word.replayed
    count(isRepeat ? (gone.has(entry) ? 'repeats of deleted payments' : 'repeats') : 'payments')
    check()
  }

  async function pay() {
    const [till, index] = [dice.pickAny(town.tills), books.nextIndex()]
    if (!till || index === undefined) return
    const at = BEGINNING + timeline.elapsed()
    await report(books.add(movedMoney({ index, till, billNumber: '', at, hasCode: dice.chance(0.5) })))
  }

  function check() {
    if (!reader.hasChanged()) return
    const elapsed = timeline.elapsed()
    const present = new Set(reader.payments().flatMap(({ amount }) => books.byAmount(amount) ?? []))
    for (const entry of present) {
      const { amount } = entry.money
      if (gone.has(entry)) throw new Violation('money', `${amount} was deleted, and is on record again`)
      if (!storedAt.has(entry)) storedAt.set(entry, elapsed)
    }
    for (const [entry, at] of storedAt) {
      if (present.has(entry) || gone.has(entry)) continue
      if (elapsed - at < KEEP_MS - OFF_MS)
        throw new Violation(
          'kept',
          `${entry.money.amount} was deleted after ${(elapsed - at) / HOUR_MS} hours`,
        )
      gone.add(entry)
      count('deleted payments')
    }
    const counted = reader.stores().reduce((sum, { totalAmount }) => sum + totalAmount, 0)
    const paid = [...storedAt.keys()].reduce((sum, { money }) => sum + Number(money.amount), 0)
    if (counted !== paid) throw new Violation('money', `the totals are ${counted}, and ${paid} were paid`)
  }

  async function wind(ms: number) {
    const end = timeline.elapsed() + ms
    for (let at = timeline.nextAt(); at !== undefined && at <= end; at = timeline.nextAt()) {
      timeline.runNext()
      await turn('settle')
      check()
    }
    timeline.moveTo(end)
  }

  /** A wrong clock is set right before it is trusted. */
  async function pass(ms: number) {
    const leftMs = setTo === 0 ? ms : Math.min(ms, setAt + REPAIRED_MS - timeline.elapsed())
    await wind(Math.max(0, leftMs))
    if (leftMs === ms) return
    set(0)
    await wind(ms - leftMs)
  }

  function set(toMs: number) {
    setAt = timeline.elapsed()
    timeline.set(toMs - setTo)
    setTo = toMs
    if (toMs !== 0) count('clock steps')
  }

  async function restart(toMs: number) {
    hub.kill()
    set(toMs)
    hub = await startHub()
    count('restarts')
  }

  const actions: { name: string; weight: number; act: () => Promise<unknown> }[] = [
    { name: 'pay', weight: 8, act: pay },
    { name: 'report everything again', weight: 3, act: reportAll },
    { name: 'hours pass', weight: 4, act: () => pass(dice.between(1, 10) * HOUR_MS) },
    { name: 'a day passes', weight: 3, act: () => pass(26 * HOUR_MS) },
    { name: 'set the clock', weight: 4, act: setUnderLoad },
    { name: 'set the clock right', weight: 3, act: () => setUnderLoad(0) },
    { name: 'restart', weight: 2, act: () => restart(setTo) },
    { name: 'set the clock while the hub is down', weight: 2, act: setWhileDown },
  ]

  async function reportAll() {
    for (const entry of books.entries) await report(entry)
  }

  /** At any moment, also between two pages of retention. */
  async function setUnderLoad(toMs = drawOffset(dice)) {
    await pay()
    timeline.after(dice.between(0, 2 * LOOKS_EVERY_MS), () => set(toMs))
    await wind(3 * LOOKS_EVERY_MS)
    await pay()
  }

  async function setWhileDown() {
    await pay()
    await restart(drawOffset(dice))
  }

  async function goOn() {
    set(0)
    await wind(LOOKS_EVERY_MS)
    // A payment may lie in the future: only the operator knows.
    if (dice.chance(0.5)) await clockConfirm({ by: OPERATOR, storage: hub.storage, clock: timeline })
    await reportAll()
    await wind(DAY_MS + KEEP_MS + HOUR_MS)
    if (hub.clockWatch.isDoubted()) throw new Violation('goes on', 'the clock is steady, and retention waits')
    await reportAll()
    await clockConfirm({ by: OPERATOR, storage: hub.storage, clock: timeline })
    await wind(2 * LOOKS_EVERY_MS)
    const now = timeline.now()
    const old = reader.receivedAt().filter((at) => at < now - KEEP_MS - OFF_MS)
    if (old.length > 0) throw new Violation('goes on', `${old.length} old payments are never deleted`)
  }

  let failure: ClockOutcome['failure']
  try {
    // Without a payment nothing proves a clock wrong.
    await pay()
    for (let step = 0; step < 16; step += 1) {
      const action = dice.weigh(actions.map((one) => ({ weight: one.weight, of: one })))
      steps.push(`${action?.name} (${setTo})`)
      await action?.act()
      await turn('settle')
      check()
    }
    steps.push('everything is set right')
    await goOn()
  } catch (error) {
    if (!(error instanceof Violation)) throw error
    failure = { invariant: error.invariant, what: error.message, steps }
  }
  hub.kill()
  reader.close()
  disk.forget(file)
  return { failure, counts }
}

/** Where the hub's clock is set to, against the true time: minutes, days and years, forward and back. */
function drawOffset(dice: Dice): number {
  const byMs = dice.pick([
    dice.between(1, 25) * MINUTE_MS,
    dice.between(3, 100) * DAY_MS,
    dice.between(1, 3) * 365 * DAY_MS,
  ])
  return dice.chance(0.5) ? byMs : -byMs
}
