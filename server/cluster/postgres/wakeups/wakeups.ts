import type { Clock } from '../../../platform/clock.ts'
import type { WakeKind, Wakeups } from '../../wakeups.ts'
import { addWoken, nobody, parsePayload, type Woken, wakeAll } from './payload.ts'
import { type SendingDeps, WakeupSending } from './sending.ts'

/** What is heard of one kind within this time is looked at together: wake-ups in a loop cost no more than a few looks. */
const HEAR_EVERY_MS = 20
/** After a wake-up for all devices, which is a look at each of them. */
const HEAR_ALL_EVERY_MS = 1_000

/** Counts wake-ups: each kind that is sent or heard, however many devices it is for. */
export type CountWakeup = (kind: WakeKind, direction: 'sent' | 'heard') => void

/** Wake-ups by NOTIFY, in transactions of their own: commits that notify wait for each other. */
export class NotifyWakeups implements Wakeups {
  readonly isAlone = false
  readonly #hub: string
  readonly #clock: Pick<Clock, 'after'>
  readonly #count: CountWakeup
  readonly #sending: WakeupSending
  readonly #listeners = new Set<Parameters<Wakeups['onWake']>[0]>()
  /** What was heard of a kind since the last look, which was just now. */
  readonly #gathered = new Map<WakeKind, Woken>()

  constructor({ count, ...deps }: Omit<SendingDeps, 'onSent'> & { count: CountWakeup }) {
    this.#hub = deps.hub
    this.#clock = deps.clock
    this.#count = count
    this.#sending = new WakeupSending({ ...deps, onSent: (kind) => count(kind, 'sent') })
  }

  wake(kind: WakeKind, deviceIds: readonly string[]) {
    this.#sending.add(kind, deviceIds)
  }

  onWake(listener: Parameters<Wakeups['onWake']>[0]) {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** A payload has come. */
  heard(payload: string) {
    const found = parsePayload(payload)
    if (!found || found.hub === this.#hub) return
    this.#count(found.kind, 'heard')
    this.#gather(found.kind, found.deviceIds)
  }

  /** Wake-ups may have been lost: lets this hub look at everything, and sends what waits. */
  reconnected() {
    this.#callListeners('everything', undefined)
    void this.flush()
  }

  /** Sends what waits. */
  flush(): Promise<void> {
    return this.#sending.flush()
  }

  /** The first one at once, the others when their time is over. */
  #gather(kind: WakeKind, deviceIds: readonly string[] | undefined) {
    const woken = this.#gathered.get(kind)
    if (woken && deviceIds) return addWoken(woken, deviceIds)
    if (woken) return wakeAll(woken)
    this.#gathered.set(kind, nobody())
    this.#clock.after(deviceIds ? HEAR_EVERY_MS : HEAR_ALL_EVERY_MS, () => {
      const { ids, isAll } = this.#gathered.get(kind) ?? nobody()
      this.#gathered.delete(kind)
      if (isAll) this.#gather(kind, undefined)
      else if (ids.size > 0) this.#gather(kind, [...ids])
    })
    this.#callListeners(kind, deviceIds)
  }

  #callListeners(kind: WakeKind, deviceIds: readonly string[] | undefined) {
    for (const listener of this.#listeners) listener(kind, deviceIds)
  }
}
