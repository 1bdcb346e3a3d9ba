import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { backUp } from '../../../server/storage/sqlite/file/backup.ts'
import { restore } from '../../../server/storage/sqlite/file/restore.ts'
import { OPERATOR } from '../../support/actors.ts'
import type { Timeline } from '../kit/timeline.ts'
import type { Trace } from '../kit/trace.ts'
import type { Town } from '../shop/town.ts'
import type { Disk } from './disk.ts'
import { type Hub, type HubDeps, startHub } from './hub.ts'

/** The hub as its operator sees it: it dies, and is started again on what it left behind. */
export interface HubLife {
  /** A hub that takes connections and requests; undefined while there is none. `caller`: a balancer may know it. */
  hub(caller?: string): Hub | undefined
  /** All that are alive. */
  hubs(): readonly Hub[]
  /** Acts and packets that are under way at the hubs. */
  underWay(): number
  /** Kills one in this moment. It is started again after `downMs`. */
  kill(downMs: number): void
  /** Kills the one that makes the last of so many more commits, before anybody has heard of it. */
  killAfterCommits(commits: number, downMs: number): void
  /** Starts now what is down. */
  start(): void
  /** Lets go of the files of those that were killed; nothing may be under way. */
  closeDead(): void
  close(): void
}

/** Of a hub by itself. */
export interface Backups {
  backUp(): void
  /** Stops the hub, puts the backup, if there is one, in the place of its database, and starts it. */
  restore(downMs: number): void
}

export interface HubLifeDeps
  extends Pick<HubDeps, 'ids' | 'answersLateBy' | 'wrap' | 'rule' | 'alter' | 'receivers'> {
  town: Town
  disk: Disk
  timeline: Timeline
  trace: Trace
  /** `isOlder`: what comes up now is a backup. */
  started: (file: string, isOlder: boolean) => void
  killed: (hub: Hub) => void
}

export function createHubLife(deps: HubLifeDeps): HubLife & Backups {
  const { town, disk, timeline, trace } = deps
  const { ids, answersLateBy, wrap, rule, alter, receivers } = deps
  let hub: Hub | undefined
  let file = disk.copy(town.file)
  let backup: string | undefined
  let isOlder = false
  let starts = 0
  let cancelStart = () => {}
  let doom = { commits: Number.POSITIVE_INFINITY, downMs: 0 }
  /** Killed; their code may still run, to nobody's notice. */
  const dead: Hub[] = []

  function start() {
    if (hub) return
    cancelStart()
    starts += 1
    trace.note('the hub starts')
    hub = startHub({
      ...{ id: `hub-${starts}`, file, vault: town.vault, clock: timeline, ids, answersLateBy },
      ...{ wrap, rule, alter, receivers, committed },
    })
    deps.started(file, isOlder)
    isOlder = false
  }

  function committed() {
    doom.commits -= 1
    if (doom.commits > 0) return
    trace.note('a commit is on disk, and')
    kill(doom.downMs)
  }

  function kill(downMs: number) {
    if (!hub) return
    trace.note('the hub is killed')
    trace.count('hub kills')
    const killed = hub
    file = disk.copy(killed.file)
    killed.kill()
    dead.push(killed)
    hub = undefined
    doom = { commits: Number.POSITIVE_INFINITY, downMs: 0 }
    deps.killed(killed)
    cancelStart = timeline.after(downMs, start)
  }

  return {
    hub: () => hub,
    hubs: () => (hub ? [hub] : []),
    underWay: () => [...dead, ...(hub ? [hub] : [])].reduce((sum, one) => sum + one.calls.underWay, 0),
    kill,
    start,
    killAfterCommits(commits, downMs) {
      doom = { commits, downMs }
    },

    backUp() {
      if (!hub) return
      trace.note('a backup is made')
      if (backup !== undefined) rmSync(backup)
      backup = join(disk.folder, 'backup.db')
      backUp(hub.file, backup, town.vault, OPERATOR)
    },

    restore(downMs) {
      if (backup === undefined || !hub) return
      kill(downMs)
      trace.note('the backup is restored')
      trace.count('restores')
      const aside = `${file}.before`
      restore(file, backup, town.vault, { by: OPERATOR, force: true, aside })
      disk.forget(aside)
      isOlder = true
    },

    closeDead() {
      for (const one of dead.splice(0)) {
        one.close()
        disk.forget(one.file)
      }
    },

    close() {
      cancelStart()
      hub?.kill()
      hub?.close()
      if (backup !== undefined) rmSync(backup)
      disk.forget(hub?.file ?? file)
    },
  }
}
