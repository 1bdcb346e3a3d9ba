import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { startHubProcess } from '../../simulator/run/hub/hub-process.ts'
import { type Figure, ratio, shareOf } from './parts/table.ts'

const RUNS = 7

/** From the start of the process to the ready line, with an empty data folder, compared with a bare Node.js process. */
export async function benchStart(): Promise<Figure[]> {
  const hub = await median(async () => {
    const running = await startHubProcess(process.env)
    return () => running.stop()
  })
  const bare = await median(async () => {
    const node = spawn(process.execPath, ['-e', ''])
    await once(node, 'exit')
    return async () => undefined
  })
  return [
    {
      what: 'start to ready',
      value: `${hub.toFixed(0)} ms`,
      peer: 'bare Node.js',
      peerValue: `${bare.toFixed(0)} ms`,
      ratio: ratio(hub, bare),
      goal: 'under 700 ms',
    },
  ]
}

async function median(act: () => Promise<() => Promise<unknown>>): Promise<number> {
  const times: number[] = []
  for (let run = 0; run < RUNS; run += 1) times.push(await startTime(act))
  return shareOf(times, 0.5)
}

/** Measures `start` in milliseconds. The function that `start` returns stops the process, and is not measured. */
export async function startTime(start: () => Promise<() => Promise<unknown>>): Promise<number> {
  const startedAt = performance.now()
  const stop = await start()
  const tookMs = performance.now() - startedAt
  await stop()
  return tookMs
}
