import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { ask } from '../../support/processes/own-hub.ts'
import { type Order, type Tally, tally } from '../gang/target.ts'

const MAIN = fileURLToPath(new URL('../gang/main.ts', import.meta.url))

/** The attackers, in a process of their own: their work must not delay what is measured here. */
export interface Gang {
  /** Resolves when the attack's time is over. One at a time. */
  attack(order: Order): Promise<Tally>
  stop(): Promise<void>
}

export function startGang(): Gang {
  const child = spawn(process.execPath, [MAIN], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const exited = once(child, 'exit')
  return {
    async attack(order) {
      const ended = exited.then(() => Promise.reject(new Error('the attackers have ended')))
      return tally.parse(await Promise.race([ask(child, order), ended]))
    },
    async stop() {
      if (child.connected) child.disconnect()
      await exited
    },
  }
}
