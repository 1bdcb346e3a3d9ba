import { readFileSync, statfsSync } from 'node:fs'
import { MS_PER_TICK, usageOf } from './process.ts'
import type { Figure } from './table.ts'

/** statfs(2): TMPFS_MAGIC and RAMFS_MAGIC. */
const IN_MEMORY: Readonly<Record<number, string>> = { 16914836: 'tmpfs', 2240043254: 'ramfs' }
/** More than this makes even the ratios unreliable: when commits take longer, more payments share one. */
const MOST_TAKEN = 0.1

/** The name of a folder's file system if it is in memory, where a flush costs nothing. */
export function fileSystemInMemory(folder: string): string | undefined {
  return IN_MEMORY[statfsSync(folder).type]
}

/** What the processors of this machine have done since its start, in milliseconds. */
export interface Processors {
  all: number
  /** Work that waited while the host of a virtual machine served other ones: "steal". */
  steal: number
  busy: number
  /** The part of `busy` that this process and its children have used. */
  own: number
}

/** Undefined if there is no /proc. */
export function readProcessors(): Processors | undefined {
  const own = usageOf([process.pid])
  return own && { ...parseProcessors(readFileSync('/proc/stat', 'utf8')), own: own.cpuMs }
}

/** proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal. User already includes guests. */
export function parseProcessors(stat: string): Omit<Processors, 'own'> {
  const ticks = stat.split('\n', 1)[0]?.trim().split(/\s+/).slice(1, 9).map(Number) ?? []
  const all = ticks.reduce((sum, value) => sum + value, 0)
  const [, , , idle = 0, waiting = 0, , , steal = 0] = ticks
  return {
    all: all * MS_PER_TICK,
    steal: steal * MS_PER_TICK,
    busy: (all - idle - waiting - steal) * MS_PER_TICK,
  }
}

/** What disturbed a run, with a sentence if it should be repeated. */
export function disturbances(before: Processors, after: Processors): { figures: Figure[]; warning?: string } {
  const during = (of: (processors: Processors) => number) => of(after) - of(before)
  const all = during((processors) => processors.all)
  const stolen = during(({ steal }) => steal)
  const others = during(({ busy, own }) => busy - own)
  const shares = [
    { by: 'the host (steal)', share: stolen / all },
    { by: 'other programs and the kernel', share: Math.max(0, others) / all },
  ]
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`
  const figures = shares.map(({ by, share }) => ({
    what: `time of the processors taken by ${by}`,
    value: percent(share),
    peer: 'the whole run',
    peerValue: '100 %',
    ratio: share.toFixed(2),
    goal: `at most ${MOST_TAKEN.toFixed(2)}`,
  }))
  const takers = shares.filter(({ share }) => share > MOST_TAKEN)
  if (takers.length === 0) return { figures }
  const taken = takers.map(({ by, share }) => `${percent(share)} by ${by}`).join(', ')
  return { figures, warning: `Time of the processors was taken: ${taken}. Repeat this run.\n` }
}
