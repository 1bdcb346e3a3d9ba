import type { Clock } from '../../platform/clock.ts'
import type { WakeKind, Wakeups } from '../wakeups.ts'
import { addWoken, nobody, parsePayload, toPayloads, type Woken, wakeAll } from './wake-payload.ts'

/** Wake-ups of one kind that come within this time go together. */
const GATHER_MS = 2
/** What is heard of one kind within this time is looked at together: wake-ups in a loop cost no more than a few looks. */
const HEAR_EVERY_MS = 20
/** After a wake-up for all devices, which is a look at each of them. */
const HEAR_ALL_EVERY_MS = 1_000

/** Counts wake-ups: each kind that is sent or heard, however many devices it is for. */
export type CountWakeup = (kind: WakeKind, direction: 'sent' | 'heard') => void

export interface NotifyWakeups extends Wakeups {
  /** A payload has come. */
  heard(payload: string): void
  /** Wake-ups may have been lost: lets this hub look at everything, and sends what waits. */
  reconnected(): void
  /** Sends what waits. */
  flush(): Promise<void>
}

/**
 * Wake-ups by NOTIFY, in transactions of their own: commits that notify wait for each other. `send` sends payloads; what
 * it could not send goes with the next ones.
 */
export function createNotifyWakeups(deps: {
  hub: string
  send: (payloads: string[]) => Promise<void>
  clock: Pick<Clock, 'after'>
  count: CountWakeup
}): NotifyWakeups {
  const { hub, send, clock, count } = deps
  const listeners = new Set<Parameters<Wakeups['onWake']>[0]>()
  let waiting = new Map<WakeKind, Woken>()
  let isGathering = false
  /** What was heard of a kind since the last look, which was just now. */
  const gathered = new Map<WakeKind, Woken>()
  let sending: Promise<void> | undefined

  function add(kind: WakeKind, deviceIds: Iterable<string>, isAll = false) {
    const woken = waiting.get(kind) ?? nobody()
    waiting.set(kind, woken)
    if (isAll) wakeAll(woken)
    else addWoken(woken, deviceIds)
  }

  /** The first one at once, the others when their time is over. */
  function hear(kind: WakeKind, deviceIds: readonly string[] | undefined) {
    const woken = gathered.get(kind)
    if (woken && deviceIds) return addWoken(woken, deviceIds)
    if (woken) return wakeAll(woken)
    gathered.set(kind, nobody())
    clock.after(deviceIds ? HEAR_EVERY_MS : HEAR_ALL_EVERY_MS, () => {
      const { ids, isAll } = gathered.get(kind) ?? nobody()
      gathered.delete(kind)
      if (isAll) hear(kind, undefined)
      else if (ids.size > 0) hear(kind, [...ids])
    })
    tell(kind, deviceIds)
  }

  async function sendWaiting() {
    const taken = waiting
    waiting = new Map()
    try {
      await send([...taken].flatMap(([kind, woken]) => toPayloads(hub, kind, woken)))
      for (const kind of taken.keys()) count(kind, 'sent')
    } catch {
      // Sent again with the next, or when the connection is open again. Twice does no harm.
      for (const [kind, { ids, isAll }] of taken) add(kind, ids, isAll)
      throw new Error('the wake-ups wait')
    }
  }

  async function sendAll() {
    try {
      while (waiting.size > 0) await sendWaiting()
    } catch {
      // They wait.
    }
  }

  function flush(): Promise<void> {
    // Also when nothing waits: sendAll has then ended before it is assigned.
    sending ??= sendAll().finally(() => {
      sending = undefined
    })
    return sending
  }

  function tell(kind: WakeKind, deviceIds: readonly string[] | undefined) {
    for (const listener of listeners) listener(kind, deviceIds)
  }

  return {
    isAlone: false,

    wake(kind, deviceIds) {
      if (deviceIds.length === 0) return
      add(kind, deviceIds)
      if (isGathering) return
      isGathering = true
      clock.after(GATHER_MS, () => {
        isGathering = false
        void flush()
      })
    },

    onWake(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    heard(payload) {
      const found = parsePayload(payload)
      if (!found || found.hub === hub) return
      count(found.kind, 'heard')
      hear(found.kind, found.deviceIds)
    },

    reconnected() {
      tell('everything', undefined)
      void flush()
    },

    flush,
  }
}
