import { errorCode } from './error-text.ts'

/** Whether a process with this id runs, ours or another user's. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

/** For a process that may end by itself meanwhile. */
export function killIfThere(pid: number, signal: NodeJS.Signals = 'SIGKILL') {
  try {
    process.kill(pid, signal)
  } catch {}
}
