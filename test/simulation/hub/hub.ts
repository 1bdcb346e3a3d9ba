import { type Core, PARTS } from '../../../server/core.ts'
import type { Metrics } from '../../../server/operate/metrics.ts'
import type { Clock } from '../../../server/platform/clock.ts'
import type { Ids } from '../../../server/platform/ids.ts'
import { createLog } from '../../../server/platform/log.ts'
import type { Vault } from '../../../server/security/vault.ts'
import { type Storage, UNOBSERVED } from '../../../server/storage/ports.ts'
import type { StorageRules } from '../../../server/storage/rules.ts'
import { hubRules } from '../../../server/storage/rules.ts'
import { openSqliteStorage } from '../../../server/storage/sqlite/storage.ts'
import { createTestCore } from '../../support/core.ts'
import { type Calls, watched } from './watched.ts'

export interface HubDeps {
  file: string
  vault: Vault
  clock: Clock
  ids: Ids
  calls: Calls
  /** Turns of the event loop from a commit to the answers of its acts. */
  answersLateBy: number
  /** Wraps the storage: a test plants its bugs here. */
  wrap: (storage: Storage) => Storage
  /** Wraps the rules of the storage, for the same. */
  rule: (rules: StorageRules) => StorageRules
  /** Wraps the parts of the core, for the same. */
  alter: (parts: typeof PARTS) => typeof PARTS
  /** A commit is on disk, and nobody knows yet. */
  committed: () => void
}

/** The hub's own core, without sockets and as mortal as a process. */
export interface Hub {
  readonly file: string
  readonly core: Core
  /** As the command line sees it. */
  readonly storage: Storage
  isAlive(): boolean
  /** From here on its code reaches nobody: its timers stop, and its packets go nowhere. */
  kill(): void
  /** Lets go of the file. */
  close(): void
}

export function startHub(deps: HubDeps): Hub {
  const { file, vault, ids, calls } = deps
  let isAlive = true
  const clock = clockOf(deps.clock, () => isAlive)
  const observer = { ...UNOBSERVED, commit: () => isAlive && deps.committed() }
  const opened = openSqliteStorage(file, {
    ...{ vault, ids, clock, observe: observer, rules: deps.rule(hubRules(ids)) },
  })
  const storage = watched(deps.wrap(opened), calls, deps.answersLateBy)
  const parts = deps.alter(PARTS)
  const core = createTestCore({ storage, vault, clock, ids, log: LOG, metrics: UNMEASURED, parts })
  core.delivery.start()

  return {
    file,
    core,
    storage,
    isAlive: () => isAlive,
    kill() {
      isAlive = false
    },
    close: () => opened.close(),
  }
}

const LOG = createLog('silent')

/** Nobody reads the metrics of a world. */
const UNMEASURED: Metrics = {
  contentType: 'text/plain; version=0.0.4; charset=utf-8',
  text: async () => '',
  request: () => undefined,
  storage: UNOBSERVED,
  httpClosed: () => undefined,
  mqttRefused: () => undefined,
  takeover: () => undefined,
  watch: () => undefined,
  watchProcess: () => undefined,
}

/** The world's clock, as long as the hub lives. */
function clockOf(clock: Clock, isAlive: () => boolean): Clock {
  return {
    now: clock.now,
    elapsed: clock.elapsed,
    after: (delayMs, act) => clock.after(delayMs, () => isAlive() && act()),
  }
}
