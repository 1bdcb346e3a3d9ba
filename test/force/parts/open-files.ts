import { spawnSync } from 'node:child_process'

/** What a process has open beside its connections. */
const BESIDE = 200

/**
 * Why this process, and the hub's like it, may not have so many connections open; undefined when they may. Node.js
 * raises its limit to what is allowed, as it starts.
 */
export function openFiles(connections: number): string | undefined {
  const { stdout } = spawnSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' })
  const allowed = stdout.trim() === 'unlimited' ? Number.POSITIVE_INFINITY : Number(stdout)
  if (allowed >= connections + BESIDE) return undefined
  return `a process may open ${allowed} files here, and ${connections + BESIDE} are needed (ulimit -Hn)`
}
