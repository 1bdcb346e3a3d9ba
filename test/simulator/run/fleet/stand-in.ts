import type { Sentence } from '../../../../simulator/run/fleet/model/announcements.ts'
import { Ledger } from '../../../../simulator/run/fleet/model/ledger.ts'
import { Roster } from '../../../../simulator/run/fleet/model/roster.ts'
import { NO_MIX } from '../../../../simulator/run/fleet/pay/kinds.ts'
import type { Run } from '../../../../simulator/run/fleet/run/run.ts'
import { volatileMemory } from '../../../../simulator/speaker/memory/memory.ts'
import type { SpeakerSnapshot } from '../../../../simulator/speaker/snapshot.ts'
import { createSpeaker, type Speaker } from '../../../../simulator/speaker/speaker.ts'
import { snapshotOf } from '../../screen/model.ts'
import type { WoundClock } from '../../support/wound-clock.ts'

export interface StandInRun extends Run {
  /** The number of calls of `end`. */
  ends: number
  /** The number of snapshots read from each speaker. */
  looks: Map<number, number>
}

/** A run with static, connected speakers, whose data the test sets. */
export function standInRun(
  count: number,
  clock: WoundClock,
  options: { pays?: boolean; snapshot?: (index: number) => Partial<SpeakerSnapshot> } = {},
): StandInRun {
  const looks = new Map<number, number>()
  const serials = Array.from({ length: count }, (_, index) => `FLEET-${String(index + 1).padStart(5, '0')}`)
  const roster = new Roster(serials)
  const speakers = serials.map((serial, index) =>
    watched(serial, () => {
      looks.set(index, (looks.get(index) ?? 0) + 1)
      return snapshotOf({ screen: 'idle', name: '', qr: '' }, { serial, ...options.snapshot?.(index) })
    }),
  )
  for (const index of serials.keys())
    roster.on(index, {
      atMs: clock.now(),
      kind: 'event',
      event: { event: 'connected', linked: true },
    })
  const ledger = new Ledger()
  const shops = { ready: [], waiting: 0, failed: 0, lastFailure: '', take: () => {}, stop: () => {} }
  const processor = {
    ...{ start: () => {}, stop: () => {}, cut: () => {}, done: false, underWay: 0, heldBack: 0 },
    ...{ lastFailure: '', withoutShop: 0, rampIsOver: () => {}, throttle: () => {} },
    ...{ perSecond: 20, stage: undefined, stages: [], mix: NO_MIX, shown: () => {} },
  }
  const run: StandInRun = {
    fleet: {
      ...{ speakers, roster, start: () => {}, startsWithinS: () => 0 },
      ...{ stop: async () => {}, cut: async () => {} },
    },
    pay: options.pays ? { ledger, shops, processor } : undefined,
    conditions: {},
    ...{ away: undefined, awayMs: 0, gaveUp: undefined, durationMs: undefined },
    ...{ isStopped: false, ramp: { end: undefined, stalledMs: 0, patienceMs: 60_000 } },
    ...{ phase: 'running', startedAtMs: clock.now(), highestRssBytes: 0, linksAtEnd: undefined },
    ...{ ended: new Promise(() => {}), ends: 0, looks },
    end: () => {
      run.ends += 1
    },
  }
  return run
}

function watched(serial: string, snapshot: () => SpeakerSnapshot): Speaker {
  const key = Buffer.alloc(32, 1)
  const speaker = createSpeaker({ serial, key, url: 'mqtt://127.0.0.1:1', memory: volatileMemory() })
  return Object.assign(Object.create(speaker), { serial, subscribe: speaker.subscribe, snapshot })
}

/** A sentence that was said as soon as it came. */
export function sentence(amount: string, atMs: number): Sentence {
  return { amount, startedAtMs: atMs, arrivedAtMs: atMs, queuedMs: 0 }
}
