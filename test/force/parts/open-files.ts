import { spawnSync } from 'node:child_process'

/** Open files of a process besides its connections. */
const BESIDE = 200

/**
 * The reason why this process and the hub can't open so many connections. Undefined when they can. Node.js raises its
 * soft limit to the hard limit at its start.
 */
export function openFiles(connections: number): string | undefined {
  const { stdout } = spawnSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' })
  const allowed = stdout.trim() === 'unlimited' ? Number.POSITIVE_INFINITY : Number(stdout)
  if (allowed >= connections + BESIDE) return undefined
  return `a process may open ${allowed} files here, and ${connections + BESIDE} are needed (ulimit -Hn)`
}
