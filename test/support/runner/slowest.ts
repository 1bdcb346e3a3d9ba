import { readFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

const SHOWN = 10
/** Linux counts CPU time for programs in hundredths of a second. */
const TICKS_PER_SECOND = 100

interface Timed {
  name: string
  ms: number
}

/** Prints the slowest files and tests of a run, and the CPU time of all its processes. */
export class SlowestReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules.map((module) => ({
      name: module.relativeModuleId,
      ms: module.diagnostic().duration,
    }))
    const tests = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => ({
        name: `${module.relativeModuleId} > ${test.fullName}`,
        ms: test.diagnostic()?.duration ?? 0,
      })),
    )
    // A run of one file shows its own times.
    if (files.length <= SHOWN) return
    say('Slowest files', slowest(files))
    say('Slowest tests', slowest(tests))
    // The workers have ended by then, so the system has added their time.
    process.once('exit', sayCpu)
  }
}

export function slowest(timed: readonly Timed[]): Timed[] {
  return timed.toSorted((a, b) => b.ms - a.ms).slice(0, SHOWN)
}

function say(title: string, timed: readonly Timed[]): void {
  const lines = timed.map(({ name, ms }) => `  ${(ms / 1000).toFixed(1).padStart(6)} s  ${name}`)
  process.stdout.write(`\n ${title}\n${lines.join('\n')}\n`)
}

function sayCpu(): void {
  const seconds = cpuSeconds()
  if (seconds) process.stdout.write(` CPU  ${Math.round(seconds)} s in all processes\n`)
}

/** Of this process and of those that it has started and that have ended; undefined where there is no /proc. */
function cpuSeconds(): number | undefined {
  try {
    return secondsOf(readFileSync('/proc/self/stat', 'utf8'))
  } catch {
    return undefined
  }
}

/** proc_pid_stat(5): utime, stime, cutime and cstime are the fields 14 to 17. The second may contain spaces. */
export function secondsOf(stat: string): number {
  const behindName = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = behindName.slice(11, 15).map(Number)
  return ticks.reduce((sum, one) => sum + one, 0) / TICKS_PER_SECOND
}
