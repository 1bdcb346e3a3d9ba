import type { Clock } from '../../../platform/clock.ts'
import type { Speaker } from '../../../speaker/speaker.ts'
import type { EventLog } from './event-log.ts'
import type { Payment, ScenarioPartner } from './partner.ts'

/** The hubs of a scenario, where it may control them. */
export interface HubControl {
  /** Does something to a hub, from 1; resolves with the reason when it can't. */
  act(action: 'kill' | 'stop' | 'start' | 'freeze' | 'thaw', hub: number): Promise<string | undefined>
  /** Chooses the hub that gets the requests of partners. With undefined, the balancer chooses a ready one. */
  route(hub: number | undefined): void
}

/** A speaker with its events. */
export interface Heard {
  name: string
  speaker: Speaker
  /** The code on the label of a box that neither shows nor says one. */
  label?: string | undefined
  log: EventLog
}

/** What has been paid so far, and the results that steps have named. */
export interface Memory {
  results: Map<string, unknown>
  /** The payments that steps have named, each with its partner. */
  payments: Map<string, { by: string; payment: Payment }>
  /** The last payment of each partner. */
  last: Map<string, Payment>
}

/** What a step can use. */
export interface StepWorld {
  /** By name; the only one is the default of a step. */
  speakers: ReadonlyMap<string, Heard>
  /** By name; empty without a partner. */
  partners: ReadonlyMap<string, ScenarioPartner>
  hubs: HubControl | undefined
  clock: Clock
  memory: Memory
  startedAtMs: number
  /** Aborted when the scenario must end. */
  over?: AbortSignal | undefined
}

/** The speaker of a step: the named one, or the only one. */
export function heardBy({ speakers }: Pick<StepWorld, 'speakers'>, on: string | undefined): Heard {
  const found = on === undefined ? speakers.values().next().value : speakers.get(on)
  // The file was checked before.
  if (!found) throw new Error(`there is no speaker ${on ?? ''}`)
  return found
}
