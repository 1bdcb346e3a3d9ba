import { ALONE, type Task } from '../../../server/cluster/cluster.ts'
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
import type { Post, PostResult } from '../../../server/webhooks/send/post.ts'
import { createTestCore } from '../../support/core.ts'
import type { Receivers } from '../shop/receivers.ts'
import { type Cable, createCable } from './cable.ts'
import type { Carrier } from './carrier.ts'
import { createFreezer, type Freezer } from './freezer.ts'
import { type Calls, watched } from './watched.ts'

export interface HubDeps {
  /** One per start. */
  id: string
  file: string
  vault: Vault
  clock: Clock
  ids: Ids
  /** Turns of the event loop from a commit to the answers of its acts. */
  answersLateBy: number
  /** Wraps the storage: a test plants its bugs here. */
  wrap: (storage: Storage, file: string) => Storage
  /** Wraps the rules of the storage, for the same. */
  rule: (rules: StorageRules) => StorageRules
  /** Wraps the parts of the core, for the same. */
  alter: (parts: typeof PARTS) => typeof PARTS
  /** A commit is on disk, and nobody knows yet. */
  committed: (hub: Hub) => void
  /** Carries wake-ups to the other hubs on the same file. */
  carrier?: Carrier | undefined
  /** Gets what is sent to webhooks. Undefined: nothing is sent. */
  receivers?: Receivers | undefined
  /** Whether this one of several hubs sends webhooks now. */
  sends?: ((hubId: string) => boolean) | undefined
}

/** The hub's own core, without sockets and as mortal as a process. */
export interface Hub extends Freezer {
  readonly id: string
  readonly file: string
  readonly core: Core
  /** As the command line sees it. */
  readonly storage: Storage
  /** Its acts and packets that are under way. */
  readonly calls: Calls
  /** The way to a storage that it shares. */
  readonly cable: Cable
  /** Lets go of the file. */
  close(): void
}

export function startHub(deps: HubDeps): Hub {
  const { id, file, vault, ids } = deps
  const freezer = createFreezer()
  const clock = clockOf(deps.clock, freezer)
  const calls = { underWay: 0 }
  const cable = createCable(deps.clock.elapsed, freezer)
  const observer = { ...UNOBSERVED, commit: () => freezer.isAlive() && deps.committed(hub) }
  const opened = openSqliteStorage(file, {
    ...{ vault, ids, clock, observe: observer, rules: deps.rule(hubRules(ids)) },
  })
  const storage = watched(deps.wrap(opened, file), calls, deps.answersLateBy, deps.carrier && cable)
  const parts = deps.alter(PARTS)
  const wakeups = deps.carrier?.end(id, freezer) ?? ALONE.wakeups
  // SQLite does not know which hubs run: none of several may look for the devices that others have lost.
  const leads = async (task: Task) => {
    if (task !== 'webhooks' || !deps.sends) return wakeups.isAlone
    await cable.out()
    return deps.sends(id)
  }
  const cluster = { ...ALONE, wakeups, leads }
  // An answer waits while the hub stands still, and reaches no dead one.
  const post: Post = (request) =>
    new Promise((resolve) => {
      const answer = (result: PostResult) => freezer.whenAwake(() => resolve(result))
      freezer.whenAwake(() => deps.receivers?.take(request, answer))
    })
  const core = createTestCore({
    storage,
    vault,
    clock,
    ids,
    log: LOG,
    metrics: UNMEASURED,
    parts,
    cluster,
    post,
  })
  const hub: Hub = {
    ...freezer,
    ...{ id, file, core, storage, calls, cable },
    close: () => opened.close(),
  }
  core.delivery.start()
  if (deps.receivers) core.webhooks.start()
  return hub
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
  fenced: () => undefined,
  reported: () => undefined,
  webhookAttempt: () => undefined,
  wakeup: () => undefined,
  retention: () => undefined,
  watch: () => undefined,
  watchProcess: () => undefined,
}

/** The world's clock, as long as the hub lives. What is due while it stands still happens when it goes on. */
function clockOf(clock: Clock, { whenAwake }: Freezer): Clock {
  return {
    now: clock.now,
    elapsed: clock.elapsed,
    after(delayMs, act) {
      let isOff = false
      const cancel = clock.after(delayMs, () => whenAwake(() => isOff || act()))
      return () => {
        isOff = true
        cancel()
      }
    },
  }
}
