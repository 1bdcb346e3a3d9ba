import { publishes } from '../support/bends.ts'
import type { Mutant } from './mutant.ts'

/** Telemetry with another `health`; without it when undefined. */
const saysOfItself = (change: (health: Record<string, unknown>) => object | undefined) => () => ({
  line: publishes('telemetry', ({ payload }) => {
    const { health, ...body } = Object(JSON.parse(payload.toString()))
    const changed = change(health)
    return { payload: Buffer.from(JSON.stringify(changed ? { ...body, health: changed } : body)) }
  }),
})

const ABLE = { caps: ['speaker', 'screen', 'qr', 'health'] }

/** Mistakes in what it says of its start. */
export const IN_ITS_HEALTH: readonly Mutant[] = [
  {
    name: 'names health in its caps and never sends it',
    profile: ABLE,
    mutation: saysOfItself(() => undefined),
    fails: ['health/first-telemetry', 'health/after-a-power-cut'],
  },
  {
    name: 'takes a power cut for a crash',
    profile: ABLE,
    mutation: saysOfItself((health) => ({ ...health, reset: 'watchdog' })),
    fails: ['health/after-a-power-cut'],
  },
  {
    name: 'counts its uptime over a power cut',
    profile: ABLE,
    mutation: saysOfItself((health) => ({ ...health, uptime: Number(health.uptime) + 1_000 })),
    fails: ['health/after-a-power-cut'],
  },
  {
    name: 'gives its uptime as a text',
    profile: ABLE,
    mutation: saysOfItself((health) => ({ ...health, uptime: String(health.uptime) })),
    fails: ['health/after-a-power-cut', 'connection/telemetry-fields'],
  },
]
