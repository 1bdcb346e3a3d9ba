import { readFileSync, statfsSync } from 'node:fs'
import type { Figure } from './table.ts'

/** statfs(2): TMPFS_MAGIC and RAMFS_MAGIC. */
const IN_MEMORY: Readonly<Record<number, string>> = { 16914836: 'tmpfs', 2240043254: 'ramfs' }
/** More steal than this makes even the ratios unreliable. */
const MOST_STEAL = 0.1

/** The name of a folder's file system if it is in memory, where a flush costs nothing. */
export function fileSystemInMemory(folder: string): string | undefined {
  return IN_MEMORY[statfsSync(folder).type]
}

/** What the processors of this machine have done since its start, in ticks. */
export interface Processors {
  all: number
  /** Work that waited while the host of a virtual machine served other ones: "steal". */
  steal: number
}

/** Undefined if there is no /proc. */
export function readProcessors(): Processors | undefined {
  try {
    return parseProcessors(readFileSync('/proc/stat', 'utf8'))
  } catch {
    return undefined
  }
}

/** proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal. User already includes guests. */
export function parseProcessors(stat: string): Processors {
  const ticks = stat.split('\n', 1)[0]?.trim().split(/\s+/).slice(1, 9).map(Number) ?? []
  return { all: ticks.reduce((sum, value) => sum + value, 0), steal: ticks[7] ?? 0 }
}

/** The steal of a run, with a sentence if the run should be repeated. */
export function stealFigure(before: Processors, after: Processors): { figure: Figure; warning?: string } {
  const share = (after.steal - before.steal) / (after.all - before.all)
  const percent = `${(share * 100).toFixed(1)} %`
  const figure = {
    what: 'steal: time of the processors that the host took',
    value: percent,
    peer: 'the whole run',
    peerValue: '',
    ratio: share.toFixed(2),
    goal: 'at most 0.10',
  }
  if (share <= MOST_STEAL) return { figure }
  return { figure, warning: `The host took ${percent} of the processors' time: repeat this run.\n` }
}
