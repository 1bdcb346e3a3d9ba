import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { stopProcess } from '../../../simulator/platform/child-process.ts'
import { freePort } from '../../../simulator/platform/free-port.ts'
import { ask } from '../../support/processes/own-hub.ts'
import { until } from '../../support/wait.ts'
import { type Memory, memory, TELLING_MEMORY } from '../parts/memory.ts'

export interface PeerBroker {
  name: string
  url: string
  pid: number | undefined
  /** Its memory after a garbage collection. Undefined for a broker that is not a Node.js process. */
  memory?(): Promise<Memory>
  stop(): Promise<void>
}

export async function startAedes(): Promise<PeerBroker> {
  const file = fileURLToPath(new URL('./aedes.ts', import.meta.url))
  const child = spawn(process.execPath, [...TELLING_MEMORY, file], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  if (!child.stdout) throw new Error('a pipe was asked for')
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  return {
    name: 'bare Aedes',
    url: String(line),
    pid: child.pid,
    memory: async () => memory.parse(await ask(child, {})),
    stop: () => stopProcess(child),
  }
}

interface Configuration {
  folder: string
  settings: readonly string[]
}

/** Mosquitto as Debian installs it, or undefined if it is not installed. Its settings go to a file in the folder. */
export async function startMosquitto(configured?: Configuration): Promise<PeerBroker | undefined> {
  const command = ['mosquitto', '/usr/sbin/mosquitto'].find((one) => !spawnSync(one, ['-h']).error)
  if (command === undefined) return undefined
  const port = await freePort()
  // Without a configuration it listens only on the loopback interface, without authentication.
  const args = configured ? ['-c', writeConfiguration(port, configured)] : ['-p', String(port)]
  const child = spawn(command, args, { stdio: 'ignore' })
  const url = `mqtt://127.0.0.1:${port}`
  // It prints nothing when it listens.
  await until('Mosquitto listens', () => listens(port))
  return { name: 'Mosquitto', url, pid: child.pid, stop: () => stopProcess(child) }
}

function writeConfiguration(port: number, { folder, settings }: Configuration): string {
  const file = join(folder, 'mosquitto.conf')
  writeFileSync(file, [`listener ${port} 127.0.0.1`, ...settings, ''].join('\n'))
  return file
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
