import type { WakeKind } from '../../../server/cluster/wakeups.ts'
import type { Dice } from '../kit/dice.ts'
import { createCarrier } from './carrier.ts'
import { type Hub, startHub } from './hub.ts'
import type { HubLife, HubLifeDeps } from './life.ts'

/** A device that hears nothing gives up its line after one and a half keepalives. */
const GIVEN_UP_MS = 45_000
/** Both ends of the last line that is closed notice it by then. */
const CLOSED_MS = 2_000
/** As server/cluster/postgres/cluster.ts has it. */
const LEASE_MS = 3_000
/** Hubs that there may be at once. */
const MOST_HUBS = 4

/** Several hubs on one storage, behind a balancer. */
export interface Cluster extends HubLife {
  /**
   * Lets a hub stand still for so long. The balancer notices after `cutAfterMs`: it closes the lines of the hub, and
   * leads nobody to it. Undefined: it notices nothing.
   */
  freeze(hub: Hub, forMs: number, cutAfterMs: number | undefined): void
  loseStorage(hub: Hub, forMs: number): void
  loseAnswers(hub: Hub, count: number): void
  /** The balancer leads a caller's next call to this hub. */
  lead(caller: string, hub: Hub): void
  /** One hub more. */
  join(): void
  /** Closes the lines of a hub one after another, then ends it for good. */
  drain(hub: Hub, betweenMs: number): void
  forgeWakeup(hub: Hub, kind: WakeKind, deviceIds: readonly string[]): void
  /** From here on nothing fails by itself, and nothing that was planned happens. */
  heal(): void
}

export interface ClusterDeps extends Omit<HubLifeDeps, 'killed' | 'started'> {
  /** How many there are in the beginning. */
  count: number
  /** Of the balancer and the wake-ups. */
  dice: Dice
  /** How often a wake-up gets lost. */
  wakeupsLost: number
  started: (file: string) => void
  killed: (hub: Hub) => void
  /** A hub stands still, goes on, or has lost its storage. */
  disturbed: (hub: Hub) => void
  committed: (hub: Hub) => void
  /** The lines of a hub, each with what closes it. */
  linesOf: (hub: Hub) => readonly { break(): void }[]
}

export function createCluster(deps: ClusterDeps): Cluster {
  const { town, disk, timeline, trace, dice } = deps
  const { ids, answersLateBy, wrap, rule, alter, receivers } = deps
  const file = disk.copy(town.file)
  const carrier = createCarrier({ clock: timeline, dice, trace, lost: deps.wakeupsLost })
  /** How true the balancer is to the hub of a caller's last call. */
  const stickiness = dice.pick([0, 0.5, 0.95])
  const lastOf = new Map<string, Hub>()
  const led = new Map<string, Hub>()
  const up = new Set<Hub>()
  /** The balancer leads nobody to them: they stand still, or leave. */
  const shunned = new Set<Hub>()
  const leaving = new Set<Hub>()
  /** Killed; what they had begun may still be under way. */
  let dead: Hub[] = []
  /** Hubs that come back. */
  const comingBack = new Set<() => void>()
  let doom = { commits: Number.POSITIVE_INFINITY, downMs: 0 }
  let starts = 0

  let lease = { hubId: '', until: 0 }
  /** One hub sends webhooks, until it has not asked for so long. */
  function sends(hubId: string): boolean {
    if (lease.hubId !== hubId && timeline.elapsed() < lease.until) return false
    lease = { hubId, until: timeline.elapsed() + LEASE_MS }
    return true
  }

  const inRotation = () => [...up].filter((hub) => !shunned.has(hub) && !leaving.has(hub))

  function startOne() {
    starts += 1
    const id = `hub-${starts}`
    trace.note(`${id} starts`)
    const hub = startHub({
      ...{ id, file, vault: town.vault, clock: timeline, ids, answersLateBy },
      ...{ wrap, rule, alter, receivers, committed, carrier, sends },
    })
    up.add(hub)
    if (starts === 1) deps.started(file)
  }

  function committed(hub: Hub) {
    deps.committed(hub)
    doom.commits -= 1
    if (doom.commits > 0) return
    trace.note('a commit is on disk, and')
    kill(hub, doom.downMs)
  }

  function end(hub: Hub) {
    trace.note(`${hub.id} is killed`)
    trace.count('hub kills')
    hub.kill()
    up.delete(hub)
    shunned.delete(hub)
    dead.push(hub)
    doom = { commits: Number.POSITIVE_INFINITY, downMs: 0 }
    deps.killed(hub)
  }

  function kill(hub: Hub, downMs: number) {
    end(hub)
    const comeBack = () => {
      cancel()
      comingBack.delete(comeBack)
      startOne()
    }
    const cancel = timeline.after(downMs, comeBack)
    comingBack.add(comeBack)
  }

  function breakLines(hub: Hub) {
    for (const line of deps.linesOf(hub)) line.break()
  }

  function thaw(hub: Hub) {
    if (!hub.isFrozen()) return
    trace.note(`${hub.id} goes on`)
    shunned.delete(hub)
    deps.disturbed(hub)
    hub.thaw()
  }

  return {
    hub(caller = '') {
      const hubs = inRotation()
      const next = led.get(caller)
      led.delete(caller)
      if (next && hubs.includes(next)) {
        lastOf.set(caller, next)
        return next
      }
      const known = lastOf.get(caller)
      if (known && hubs.includes(known) && dice.chance(stickiness)) return known
      const hub = dice.pickAny(hubs)
      if (hub) lastOf.set(caller, hub)
      return hub
    },
    hubs: () => [...up],
    underWay: () => [...up, ...dead].reduce((sum, hub) => sum + (hub.isFrozen() ? 0 : hub.calls.underWay), 0),

    kill(downMs) {
      const hub = dice.pickAny([...up])
      if (hub) kill(hub, downMs)
    },
    killAfterCommits(commits, downMs) {
      doom = { commits, downMs }
    },

    start() {
      for (const comeBack of [...comingBack]) comeBack()
      while (starts < deps.count) startOne()
    },

    freeze(hub, forMs, cutAfterMs) {
      if (hub.isFrozen()) return
      trace.note(`${hub.id} stands still for ${forMs} ms`)
      trace.count('hubs frozen')
      deps.disturbed(hub)
      hub.freeze()
      timeline.after(forMs, () => thaw(hub))
      if ((cutAfterMs ?? GIVEN_UP_MS) >= forMs) return
      timeline.after(cutAfterMs ?? GIVEN_UP_MS, () => {
        if (!hub.isFrozen()) return
        trace.note(`the lines of ${hub.id} are given up`)
        trace.count('hubs cut off')
        shunned.add(hub)
        breakLines(hub)
      })
    },

    loseStorage(hub, forMs) {
      trace.note(`${hub.id} has no storage for ${forMs} ms`)
      trace.count('storage lost')
      deps.disturbed(hub)
      hub.cable.cut(forMs)
      timeline.after(forMs, () => deps.disturbed(hub))
    },

    loseAnswers(hub, count) {
      trace.note(`${hub.id} is not told what becomes of its next ${count} writes`)
      trace.count('outcomes unknown')
      deps.disturbed(hub)
      hub.cable.loseAnswers(count)
    },

    lead: (caller, hub) => void led.set(caller, hub),

    join() {
      if (up.size + comingBack.size >= MOST_HUBS) return
      trace.count('hubs joined')
      startOne()
    },

    drain(hub, betweenMs) {
      if (up.size + comingBack.size < 2 || !inRotation().some((one) => one !== hub)) return
      trace.note(`${hub.id} is to leave`)
      trace.count('hubs drained')
      leaving.add(hub)
      const lines = deps.linesOf(hub)
      for (const [index, line] of lines.entries()) timeline.after(index * betweenMs, () => line.break())
      timeline.after(lines.length * betweenMs + CLOSED_MS, () => {
        if (up.has(hub) && leaving.has(hub)) end(hub)
      })
    },

    forgeWakeup(hub, kind, deviceIds) {
      trace.count('wake-ups forged')
      carrier.forge(hub.id, kind, deviceIds)
    },

    heal() {
      doom = { commits: Number.POSITIVE_INFINITY, downMs: 0 }
      carrier.heal()
      shunned.clear()
      leaving.clear()
      for (const hub of up) {
        hub.cable.heal()
        thaw(hub)
      }
    },

    closeDead() {
      for (const one of dead.splice(0)) one.close()
    },

    close() {
      for (const hub of up) hub.kill()
      for (const hub of [...up, ...dead]) hub.close()
      dead = []
      disk.forget(file)
    },
  }
}
