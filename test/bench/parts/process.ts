import { readFileSync } from 'node:fs'

/** Times in /proc are in ticks: 100 per second on every Linux (proc(5), sysconf(_SC_CLK_TCK)). */
const MS_PER_TICK = 10

/** User and system time of a process in milliseconds. Undefined if there is no /proc. */
export function cpuMs(pid: number | undefined): number | undefined {
  try {
    // proc_pid_stat(5): start after the name, which may contain spaces. Field 14 is utime, 15 is stime.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK
  } catch {
    return undefined
  }
}
