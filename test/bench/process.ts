import { readFileSync } from 'node:fs'

/** Of the times in /proc, on every Linux: 100 ticks a second (proc(5), sysconf(_SC_CLK_TCK)). */
const MS_PER_TICK = 10

/** User and system time that a process has used so far, in milliseconds; undefined where there is no /proc to tell. */
export function cpuMs(pid: number | undefined): number | undefined {
  try {
    // proc_pid_stat(5): fields are told from behind the name, which may hold spaces; 14 is utime, 15 stime.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK
  } catch {
    return undefined
  }
}
