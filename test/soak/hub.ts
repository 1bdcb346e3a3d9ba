import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

const ready = z.object({ http: z.url(), mqtt: z.url() })

/** A hub in a process of its own, that comes back on the same ports and the same data. */
export interface SoakHub {
  http: string
  mqtt: string
  /** Ends it as a power cut does, and starts it again. */
  killAndRestart(): Promise<void>
  stop(): Promise<void>
}

export async function startSoakHub(dataDir: string, masterKey: Buffer): Promise<SoakHub> {
  const settings = {
    HUB_DATA_DIR: dataDir,
    HUB_MASTER_KEY: masterKey.toString('base64'),
    HUB_LOG_LEVEL: 'error',
    // All speakers come from one address here, and at once after a kill.
    HUB_MQTT_CONNECTS_PER_SECOND: '10000',
  }
  const start = async (ports: { http: string; mqtt: string }) => {
    const child = spawn(process.execPath, [fileURLToPath(new URL('../../server/main.ts', import.meta.url))], {
      env: { ...process.env, ...settings, HUB_HTTP_PORT: ports.http, HUB_MQTT_PORT: ports.mqtt },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = await once(createInterface({ input: child.stdout }), 'line')
    return { child, ...ready.parse(JSON.parse(String(line))) }
  }

  let running = await start({ http: '0', mqtt: '0' })
  const { http, mqtt } = running
  const ports = { http: new URL(http).port, mqtt: new URL(mqtt).port }
  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    const exited = once(running.child, 'exit')
    running.child.kill(signal)
    await exited
  }
  return {
    http,
    mqtt,
    async killAndRestart() {
      await end('SIGKILL')
      running = await start(ports)
    },
    stop: () => end('SIGTERM'),
  }
}
