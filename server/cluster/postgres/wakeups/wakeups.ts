import type { Clock } from '../../../platform/clock.ts'
import type { WakeKind, Wakeups } from '../../wakeups.ts'
import { addWoken, nobody, parsePayload, toPayloads, type Woken, wakeAll } from './payload.ts'

/** Wake-ups of one kind that come within this time go together. */
const GATHER_MS = 2
/** What is heard of one kind within this time is looked at together: wake-ups in a loop cost no more than a few looks. */
const HEAR_EVERY_MS = 20
/** After a wake-up for all devices, which is a look at each of them. */
const HEAR_ALL_EVERY_MS = 1_000

/** Counts wake-ups: each kind that is sent or heard, however many devices it is for. */
export type CountWakeup = (kind: WakeKind, direction: 'sent' | 'heard') => void

interface WakeupDeps {
  hub: string
  /** Sends payloads. What could not be sent goes with the next ones. */
  send: (payloads: string[]) => Promise<void>
  clock: Pick<Clock, 'after'>
  count: CountWakeup
}

/** Wake-ups by NOTIFY, in transactions of their own: commits that notify wait for each other. */
export class NotifyWakeups implements Wakeups {
  readonly isAlone = false
  readonly #deps: WakeupDeps
  readonly #listeners = new Set<Parameters<Wakeups['onWake']>[0]>()
  /** To be sent. */
  #waiting = new Map<WakeKind, Woken>()
  #isGathering = false
  #sending: Promise<void> | undefined
  /** What was heard of a kind since the last look, which was just now. */
  readonly #heard = new Map<WakeKind, Woken>()

  constructor(deps: WakeupDeps) {
    this.#deps = deps
  }

  wake(kind: WakeKind, deviceIds: readonly string[]) {
    if (deviceIds.length === 0) return
    this.#wait(kind, deviceIds)
    if (this.#isGathering) return
    this.#isGathering = true
    this.#deps.clock.after(GATHER_MS, () => {
      this.#isGathering = false
      void this.flush()
    })
  }

  onWake(listener: Parameters<Wakeups['onWake']>[0]) {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  heard(payload: string) {
    const found = parsePayload(payload)
    if (!found || found.hub === this.#deps.hub) return
    this.#deps.count(found.kind, 'heard')
    this.#hear(found.kind, found.deviceIds)
  }

  /** Wake-ups may have been lost: lets this hub look at everything, and sends what waits. */
  reconnected() {
    this.#callListeners('everything', undefined)
    void this.flush()
  }

  flush(): Promise<void> {
    // Also when nothing waits: sendAll has then ended before it is assigned.
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined
    })
    return this.#sending
  }

  async #sendAll() {
    let isSent = true
    while (isSent && this.#waiting.size > 0) isSent = await this.#sendWaiting()
  }

  /** False when it could not be sent: it waits. */
  async #sendWaiting(): Promise<boolean> {
    const { hub, send, count } = this.#deps
    const taken = this.#waiting
    this.#waiting = new Map()
    try {
      await send([...taken].flatMap(([kind, woken]) => toPayloads(hub, kind, woken)))
      for (const kind of taken.keys()) count(kind, 'sent')
      return true
    } catch {
      // Sent again with the next, or when the connection is open again. Twice does no harm.
      for (const [kind, { ids, isAll }] of taken) this.#wait(kind, ids, isAll)
      return false
    }
  }

  #wait(kind: WakeKind, deviceIds: Iterable<string>, isAll = false) {
    const woken = this.#waiting.get(kind) ?? nobody()
    this.#waiting.set(kind, woken)
    if (isAll) wakeAll(woken)
    else addWoken(woken, deviceIds)
  }

  /** The first one at once, the others when their time is over. */
  #hear(kind: WakeKind, deviceIds: readonly string[] | undefined) {
    const woken = this.#heard.get(kind)
    if (woken && deviceIds) return addWoken(woken, deviceIds)
    if (woken) return wakeAll(woken)
    this.#heard.set(kind, nobody())
    this.#deps.clock.after(deviceIds ? HEAR_EVERY_MS : HEAR_ALL_EVERY_MS, () => {
      const { ids, isAll } = this.#heard.get(kind) ?? nobody()
      this.#heard.delete(kind)
      if (isAll) this.#hear(kind, undefined)
      else if (ids.size > 0) this.#hear(kind, [...ids])
    })
    this.#callListeners(kind, deviceIds)
  }

  #callListeners(kind: WakeKind, deviceIds: readonly string[] | undefined) {
    for (const listener of this.#listeners) listener(kind, deviceIds)
  }
}
