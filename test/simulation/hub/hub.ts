import { createDelivery } from '../../../server/delivery/delivery.ts'
import { receiveUp } from '../../../server/delivery/mqtt.ts'
import { recordAck } from '../../../server/delivery/record-ack.ts'
import type { AppDeps } from '../../../server/http/app.ts'
import { createMetrics } from '../../../server/operate/metrics.ts'
import { createRequestLimit } from '../../../server/partners/request-limit.ts'
import type { Clock } from '../../../server/platform/clock.ts'
import type { Ids } from '../../../server/platform/ids.ts'
import { createLog } from '../../../server/platform/log.ts'
import { hubRules } from '../../../server/rules.ts'
import type { Vault } from '../../../server/security/vault.ts'
import { type Storage, type StorageRules, UNOBSERVED } from '../../../server/storage/ports.ts'
import { openSqliteStorage } from '../../../server/storage/sqlite/storage.ts'
import { createVerbs } from '../../../server/verbs.ts'
import { createLineBroker, type LineBroker } from './broker.ts'
import { type Door, httpDoor, verbDoor } from './door.ts'
import { type Calls, watched } from './watched.ts'

export interface HubDeps {
  file: string
  vault: Vault
  clock: Clock
  ids: Ids
  /** Callbacks come in over HTTP. */
  overHttp: boolean
  calls: Calls
  /** Turns of the event loop from a commit to the answers of its acts. */
  answersLateBy: number
  /** Puts itself between the hub and its storage: a test plants its bugs here. */
  wrap: (storage: Storage) => Storage
  /** Puts itself between the storage and the rules, for the same. */
  rule: (rules: StorageRules) => StorageRules
  /** A commit is on disk, and nobody knows yet. */
  committed: () => void
  /** A frame leaves for a speaker. */
  sent: (serial: string, frame: Buffer) => void
}

/** The hub's own code, put together as server/hub.ts does, without sockets and as mortal as a process. */
export interface Hub {
  readonly file: string
  readonly verbs: AppDeps['verbs']
  readonly broker: LineBroker
  readonly door: Door
  isAlive(): boolean
  /** From here on nothing that its code still does reaches anybody: its timers stop, its frames go nowhere. */
  kill(): void
  /** Lets go of the file. */
  close(): void
}

export function startHub(deps: HubDeps): Hub {
  const { file, vault, ids, calls } = deps
  let isAlive = true
  const clock = clockOf(deps.clock, () => isAlive)
  const log = createLog('silent')
  const observer = { ...UNOBSERVED, commit: () => isAlive && deps.committed() }
  const opened = openSqliteStorage(file, {
    ...{ vault, ids, clock, observe: observer, rules: deps.rule(hubRules(ids)) },
  })
  const storage = watched(deps.wrap(opened), calls, deps.answersLateBy)
  const { outbox, devices, settings } = storage
  const delivery = createDelivery({ outbox, devices, settings, clock, ids, log })
  delivery.start()
  const broker = createLineBroker({
    devices,
    delivery,
    clock,
    receiveUp: receiveUp({
      delivery,
      recordAck: recordAck({ outbox, delivery, clock }),
      settings,
      outbox,
      log,
    }),
    sent: (serial, frame) => isAlive && deps.sent(serial, frame),
  })
  const verbs = createVerbs({ storage, delivery, vault, clock, ids, log })
  const appDeps = (): AppDeps => ({
    verbs,
    presence: delivery,
    requestLimit: createRequestLimit(clock, { perSecond: 50, burst: 200 }),
    metrics: createMetrics(
      {
        devicesConnected: () => delivery.connectedSerials().length,
        backlog: () => outbox.backlog(),
        writesWaiting: () => 0,
        diskFreeBytes: async () => Number.MAX_SAFE_INTEGER,
      },
      clock,
    ),
    clock,
    log,
    readiness: async () => 'ready',
  })

  return {
    file,
    verbs,
    broker,
    door: deps.overHttp ? httpDoor(appDeps()) : verbDoor(verbs),
    isAlive: () => isAlive,
    kill() {
      isAlive = false
    },
    close: () => opened.close(),
  }
}

/** The world's clock, as long as the hub lives. */
function clockOf(clock: Clock, isAlive: () => boolean): Clock {
  return {
    now: clock.now,
    elapsed: clock.elapsed,
    after: (delayMs, act) => clock.after(delayMs, () => isAlive() && act()),
  }
}
