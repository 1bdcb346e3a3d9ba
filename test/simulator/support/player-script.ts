import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A program that plays nothing; it appends its arguments and its process id to `<dir>/log`. `does` is the rest of its
 * shell script: `exit 1`, `exec sleep 60`.
 */
export function playerScript(dir: string, name: string, does = ''): string {
  const path = join(dir, name)
  const script = ['#!/bin/sh', `echo "${name} $$ $*" >> "${join(dir, 'log')}"`, does]
  writeFileSync(path, `${script.join('\n')}\n`, { mode: 0o755 })
  return path
}

/** The calls of a folder's scripts, in order. */
export function playedBy(dir: string): { name: string; pid: number; args: string[] }[] {
  const log = join(dir, 'log')
  if (!existsSync(log)) return []
  return readFileSync(log, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [name = '', pid = '', ...args] = line.split(' ')
      return { name, pid: Number(pid), args }
    })
}

/** Whether a process with this id exists, including a zombie. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
