import { existsSync } from 'node:fs'
import { it } from 'vitest'
import { usageOf } from '../../bench/parts/process.ts'
import { start } from '../../support/processes/process.ts'
import { until } from '../../support/wait.ts'

/** Ends with its parent. */
const BUSY = `
  process.stdin.on('end', () => process.exit()).resume()
  function work() { for (let i = 0; i < 1e6; i += 1); setImmediate(work) }
  work()`
/** Waits while its child is busy. */
const PARENT = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(BUSY)}])`
/** Far more than the parent needs. */
const BUSY_MS = 1_000

it.runIf(existsSync('/proc/self/stat'))('counts the CPU of a process with that of its children', async () => {
  const { child } = start(process.execPath, ['-e', PARENT])
  const cpuMs = () => usageOf([child.pid])?.cpuMs ?? 0
  const before = await until('CPU of the parent', () => cpuMs() || undefined)
  await until('CPU of the child', () => cpuMs() > before + BUSY_MS)
})
