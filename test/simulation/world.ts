import type { PARTS } from '../../server/core.ts'
import { BILL_SHOWN_MS } from '../../server/payments/bill.ts'
import type { Clock } from '../../server/platform/clock.ts'
import { byPartner } from '../../server/security/actor.ts'
import type { Storage } from '../../server/storage/ports.ts'
import type { StorageRules } from '../../server/storage/rules.ts'
import { step } from '../../simulator/speaker/device/device.ts'
import { createBox, type SimulatedBox } from './boxes/box.ts'
import { readDays } from './boxes/oracle/day.ts'
import { drawBoxes, drawConfig, drawPresent, weighTills } from './draw.ts'
import { type Cluster, createCluster } from './hub/cluster.ts'
import type { Disk } from './hub/disk.ts'
import type { Hub } from './hub/hub.ts'
import { type Backups, createHubLife, type HubLife } from './hub/life.ts'
import { drawKind, type Kind } from './kind.ts'
import { diceFrom } from './kit/dice.ts'
import { createSeededIds } from './kit/ids.ts'
import { createTimeline } from './kit/timeline.ts'
import { createTrace, type Trace } from './kit/trace.ts'
import { createTurn } from './kit/turn.ts'
import { type Books, createBooks } from './oracle/books.ts'
import { createOracle, type Oracle } from './oracle/oracle.ts'
import { createProcessor, type Processor } from './shop/processor.ts'
import { createReceivers } from './shop/receivers.ts'
import type { Till, Town } from './shop/town.ts'
import { createSpeaker, type SimulatedSpeaker } from './speaker/speaker.ts'

/** Where a test plants its bugs: between the hub, its storage and its rules, in the parts of its core, and in the device. */
export interface Plants {
  storage?: (storage: Storage, file: string) => Storage
  rules?: (rules: StorageRules) => StorageRules
  parts?: (parts: typeof PARTS) => typeof PARTS
  step?: typeof step
}

/** What worlds begin with. */
export interface Towns {
  plain: Town
  withBoxes: Town
}

interface Lives {
  readonly life: HubLife
  /** Of a world with one hub. */
  readonly backups: Backups | undefined
  /** Of a world with several. */
  readonly cluster: Cluster | undefined
}

/** Everything that there is, on one time, in one thread. */
export interface World extends Lives {
  readonly town: Town
  readonly books: Books
  readonly trace: Trace
  readonly oracle: Oracle
  readonly processor: Processor
  readonly speakers: readonly SimulatedSpeaker[]
  /** Of other makers. */
  readonly boxes: readonly SimulatedBox[]
  /** Which rare faults this world knows, and how things happen in it. */
  readonly kind: Kind
  /** Where something happens: mostly where somebody hears of it. */
  readonly tills: readonly Till[]
  /** What partners have made bills for and nobody has paid yet; each has the index of its payment. */
  readonly bills: { till: Till; index: number; billNumber: string }[]
  readonly clock: Clock
  now(): number
  /** Sets the hub's clock. */
  setClock(byMs: number): void
  /** Runs `act` after so long. */
  after(delayMs: number, act: () => void): void
  /** Lets the event loop turn so many times, or until nothing is under way. */
  turn(times: number | 'settle'): Promise<void>
  /** Lets time pass, and looks after everything that happens. */
  wind(ms: number, until?: () => boolean): Promise<void>
  /** Heals everything, waits until all has come to its end, and looks a last time. */
  comeToRest(): Promise<void>
  close(): Promise<void>
}

/**
 * By then the last announcement has ended, been expired, and been shown as missed: a notice waits until the QR of a bill
 * has left the screen (sb/1 7.23).
 */
const REST_WITHIN_MS = 400_000 + BILL_SHOWN_MS
/** Once all is said and done nothing more may happen. */
const SILENCE_MS = 11_000

export interface WorldDeps {
  towns: Towns
  disk: Disk
  plants?: Plants | undefined
  /** What the seed would decide otherwise. */
  kind?: Partial<Kind> | undefined
}

export function createWorld(seed: number, deps: WorldDeps): World {
  const { towns, disk, plants = {} } = deps
  const timeline = createTimeline()
  const trace = createTrace(timeline.elapsed)
  const dice = diceFrom(seed, 'world')
  const kind = drawKind(seed, dice, deps.kind)
  const town = kind.boxes ? towns.withBoxes : towns.plain
  const areSeveral = kind.hubs > 1
  const weather = { calm: dice.chance(0.2) }
  const books = createBooks()
  const oracle = createOracle({
    ...{ town, books, now: timeline.now, elapsed: timeline.elapsed, trace, speakers: () => speakers },
    boxes: () => boxes,
    ...{ hubs: () => life.hubs(), areSeveral },
    ...{ answersLate: kind.answersLateBy > 0, sendsWebhooks: kind.webhooks },
  })

  const linesOf = (hub: Hub) =>
    [...speakers, ...boxes].flatMap((one) => {
      const line = one.line()
      return line?.hub() === hub ? [line] : []
    })
  const receivers = kind.webhooks
    ? createReceivers({ clock: timeline, dice: diceFrom(seed, 'receivers'), trace, got: oracle.got })
    : undefined
  const hubDeps = {
    ...{ town, disk, timeline, trace },
    ids: createSeededIds(diceFrom(seed, 'ids'), timeline.now),
    answersLateBy: kind.answersLateBy,
    wrap: plants.storage ?? ((storage) => storage),
    rule: plants.rules ?? ((rules) => rules),
    alter: plants.parts ?? ((parts) => parts),
    receivers,
  }

  function createLone(): Lives {
    const life = createHubLife({
      ...hubDeps,
      started(file, isOlder) {
        oracle.attach(file)
        // What the backup does not know is reported again.
        if (isOlder) for (const entry of oracle.rewind()) processor.report(entry)
      },
      killed(hub) {
        oracle.killed(hub)
        oracle.detach()
        for (const one of [...speakers, ...boxes]) one.line()?.break()
      },
    })
    return { life, backups: life, cluster: undefined }
  }

  function createSeveral(): Lives {
    const life = createCluster({
      ...{ ...hubDeps, count: kind.hubs, wakeupsLost: kind.wakeupsLost, dice: diceFrom(seed, 'cluster') },
      ...{ linesOf, started: oracle.attach, committed: oracle.committed },
      killed(hub) {
        oracle.killed(hub)
        for (const line of linesOf(hub)) line.break()
      },
      disturbed(hub) {
        oracle.disturbed(hub)
        for (const line of linesOf(hub)) line.disturb()
      },
    })
    return { life, backups: undefined, cluster: life }
  }

  const { life, cluster, backups } = areSeveral ? createSeveral() : createLone()

  const processor = createProcessor({
    ...{ hub: life.hub, mayFail: areSeveral, overHttp: kind.overHttp },
    ...{ clock: timeline, trace, judge: oracle.judge },
    dice: diceFrom(seed, 'processor'),
  })

  const present = drawPresent(town, dice)
  const speakers: SimulatedSpeaker[] = present.map(({ serial, key }) => {
    const own = diceFrom(seed, 'speaker', serial)
    const config = drawConfig(own)
    oracle.buffer(serial, config.rxBytes)
    return createSpeaker({
      ...{ serial, key, config, weather, dice: own, clock: timeline, witness: oracle.witness },
      faults: own.chance(0.93) ? [] : ['broken-audio'],
      clockAheadMs: own.between(-300_000, 300_000),
      ...{ hub: life.hub, watch: oracle.gate },
      step: plants.step ?? step,
    })
  })
  const boxes: SimulatedBox[] = drawBoxes(seed, town).map(({ minted, topic }) =>
    createBox({
      ...{ minted, topic, hub: life.hub, clock: timeline, weather, witness: oracle.boxes },
      dice: diceFrom(seed, 'box', minted.serial),
    }),
  )
  const turn = createTurn(life.underWay, life.closeDead)

  async function wind(ms: number, until: () => boolean = () => false) {
    const end = timeline.elapsed() + ms
    for (let at = timeline.nextAt(); at !== undefined && at <= end; at = timeline.nextAt()) {
      timeline.runNext()
      await turn(kind.hasty ? dice.between(0, 3) : 'settle')
      oracle.check()
      if (until()) return
    }
    timeline.moveTo(end)
  }

  /** An endpoint that has said 410 is taken for gone. */
  async function enableWebhooks() {
    if (!receivers) return
    // What was said before it was healed is stored by then.
    await wind(2_000)
    for (const { clientId, id } of town.endpoints) {
      const { changeWebhook } = life.hub()?.core.verbs ?? {}
      const changed = changeWebhook?.(byPartner(clientId), id, { state: 'enabled' }, () => undefined)
      await turn('settle')
      await changed
    }
  }

  /** How far the hub's clock was set back, all times together. */
  let setBackMs = 0
  life.start()
  return {
    ...{ town, books, trace, oracle, life, processor, speakers, kind, clock: timeline, turn, wind },
    ...{ cluster, backups, boxes },
    tills: weighTills(town, [...present, ...boxes]),
    bills: [],
    now: timeline.now,
    setClock(byMs) {
      trace.note(`the hub's clock is set by ${byMs} ms`)
      trace.count('clock steps')
      timeline.set(byMs)
      oracle.clockWasSet(byMs)
      setBackMs += Math.max(0, -byMs)
    },
    after: (delayMs, act) => void timeline.after(delayMs, act),

    async comeToRest() {
      trace.note('everything is healed')
      kind.hasty = false
      weather.calm = true
      life.killAfterCommits(Number.POSITIVE_INFINITY, 0)
      cluster?.heal()
      receivers?.heal()
      // A process is back a moment later: events of a restored file follow those that it lacks by the clock.
      if (!life.hub()) await wind(1)
      life.start()
      for (const speaker of [...speakers, ...boxes]) {
        // A line that was made in bad weather may still lose what is under way.
        speaker.line()?.break()
        speaker.heal()
      }
      await enableWebhooks()
      // What a hub writes as it goes on leaves in this moment.
      if (cluster) await turn('settle')
      // A bill ends by the hub's clock, and a notice waits behind it.
      const restBy = timeline.elapsed() + REST_WITHIN_MS + setBackMs
      // A speaker that changes its key connects several times, and is at rest for a moment in between.
      do {
        await wind(restBy - timeline.elapsed(), () => oracle.isAtRest())
        await wind(SILENCE_MS)
        await turn('settle')
      } while (!oracle.isAtRest() && timeline.elapsed() < restBy)
      if (kind.boxes) oracle.checkDay(await readDays(life.hub(), town))
      oracle.checkEnd()
      oracle.check()
    },

    async close() {
      oracle.detach()
      await turn('settle')
      life.close()
    },
  }
}
