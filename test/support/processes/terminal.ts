import { spawnSync } from 'node:child_process'
import { until } from '../wait.ts'
import { start } from './process.ts'

/** Runs a program on a pseudo-terminal; the pipe of standard input is the keyboard. */
const ON_TERMINAL = 'import pty, sys; pty.spawn(sys.argv[1:])'
/** Says afterwards how the program has ended, and how it has left the terminal. */
const AND_AFTERWARDS = 'trap : INT; "$@"; echo "ended with $?"; stty -a'

/** The reason why there is no pseudo-terminal on this machine. Undefined when there is one. */
export function missingTerminal(): string | undefined {
  return spawnSync('python3', ['-c', 'import pty']).status === 0 ? undefined : 'python3 is not installed'
}

/** A program on a terminal. What it prints and what the terminal echoes are one text. */
export function startOnTerminal(command: readonly string[], env: Record<string, string>) {
  const args = ['-c', ON_TERMINAL, 'sh', '-c', AND_AFTERWARDS, 'sh', ...command]
  const { child, stdout, stderr, ended } = start('python3', args, env)
  return {
    type: (keys: string) => void child.stdin.write(keys),
    seen: stdout,
    untilSeen: (text: string) =>
      until(text, () => {
        if (child.exitCode !== null) throw new Error(`it has ended: ${stdout()}${stderr()}`)
        return stdout().includes(text)
      }),
    /** All that was seen, the exit code, and whether the terminal shows again what is typed. */
    async ended() {
      const { stdout: seen } = await ended
      return { seen, code: Number(/ended with (\d+)/.exec(seen)?.[1]), echoes: / echo\b/.test(seen) }
    },
  }
}
