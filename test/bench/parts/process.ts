import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Times in /proc are in ticks: 100 per second on every Linux (proc(5), sysconf(_SC_CLK_TCK)). */
export const MS_PER_TICK = 10

/** What processes have used since they started. */
export interface Usage {
  /** User and system time of all threads, in milliseconds. */
  cpuMs: number
  /** How often the kernel has switched from one of their threads: because it waited, or was interrupted. */
  switches: number
}

export type Pids = readonly (number | undefined)[]

/** Of these processes with all their threads and children. Undefined if there is no /proc. */
export function usageOf(pids: Pids): Usage | undefined {
  if (!existsSync('/proc/self/stat')) return undefined
  const all = withChildren(pids.filter((pid) => pid !== undefined))
  return { cpuMs: sum(all.map(cpuOf)), switches: sum(all.map(switchesOf)) }
}

/** User and system time of a process with its children, in milliseconds. Undefined if there is no /proc. */
export function cpuMs(pid: number | undefined): number | undefined {
  return usageOf([pid])?.cpuMs
}

/** User and system time of a process's first thread alone, in milliseconds. NaN if there is no /proc. */
export function firstThreadCpuMs(pid: number | undefined): number {
  return existsSync(`/proc/${pid}/task/${pid}`) ? cpuIn(`/proc/${pid}/task/${pid}/stat`) : Number.NaN
}

export function usedBetween(before: Usage | undefined, after: Usage | undefined): Usage | undefined {
  if (!before || !after) return undefined
  return { cpuMs: after.cpuMs - before.cpuMs, switches: after.switches - before.switches }
}

/** proc_pid_stat(5): fields 14 to 17 are the time of the process, and of its children that have ended. */
function cpuOf(pid: number): number {
  return cpuIn(`/proc/${pid}/stat`)
}

function cpuIn(file: string): number {
  // The second field is the name, which may contain spaces.
  const fields = read(file).split(') ').at(-1)?.split(' ') ?? []
  return sum(fields.slice(11, 15).map(Number)) * MS_PER_TICK
}

function switchesOf(pid: number): number {
  const counts = threadsOf(pid).flatMap((thread) => [
    ...read(`${thread}/status`).matchAll(/ctxt_switches:\s+(\d+)/g),
  ])
  return sum(counts.map(([, count]) => Number(count)))
}

function withChildren(pids: readonly number[]): number[] {
  const childrenOf = (pid: number) =>
    threadsOf(pid).flatMap((thread) => read(`${thread}/children`).split(' ').filter(Boolean).map(Number))
  return pids.flatMap((pid) => [pid, ...withChildren(childrenOf(pid))])
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`)
  } catch {
    return []
  }
}

/** Empty if the process or thread has just ended. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
