import { vi } from 'vitest'
import { run } from '../../server/operate/cli/program.ts'

/** Runs a command of the hub in this process: what it prints, and its exit code. */
export async function hubCommand(words: readonly string[], { onTerminal = false } = {}) {
  const { argv, exitCode } = process
  const { isTTY } = process.stdout
  const said = { out: '', err: '' }
  const catching = (stream: 'stdout' | 'stderr', name: 'out' | 'err') =>
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      said[name] += String(text)
      return true
    })
  const writes = [catching('stdout', 'out'), catching('stderr', 'err')]
  process.argv = ['node', 'hub', ...words]
  process.exitCode = undefined
  process.stdout.isTTY = onTerminal
  try {
    await run()
    return { ...said, code: process.exitCode }
  } finally {
    for (const write of writes) write.mockRestore()
    process.stdout.isTTY = isTTY
    process.exitCode = exitCode
    process.argv = argv
  }
}
