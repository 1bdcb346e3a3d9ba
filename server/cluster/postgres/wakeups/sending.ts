import type { Clock } from '../../../platform/clock.ts'
import type { WakeKind } from '../../wakeups.ts'
import { addWoken, nobody, toPayloads, type Woken, wakeAll } from './payload.ts'

/** Wake-ups of one kind that come within this time go together. */
const GATHER_MS = 2

export interface SendingDeps {
  hub: string
  /** Sends payloads. */
  send: (payloads: string[]) => Promise<void>
  clock: Pick<Clock, 'after'>
  /** A kind was sent, however many devices it is for. */
  onSent: (kind: WakeKind) => void
}

/** The wake-ups that this hub sends. What could not be sent goes with the next ones. */
export class WakeupSending {
  readonly #deps: SendingDeps
  #waiting = new Map<WakeKind, Woken>()
  #isGathering = false
  #sending: Promise<void> | undefined

  constructor(deps: SendingDeps) {
    this.#deps = deps
  }

  add(kind: WakeKind, deviceIds: readonly string[]) {
    if (deviceIds.length === 0) return
    addWoken(this.#of(kind), deviceIds)
    if (this.#isGathering) return
    this.#isGathering = true
    this.#deps.clock.after(GATHER_MS, () => {
      this.#isGathering = false
      void this.flush()
    })
  }

  /** Sends what waits. */
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
    const { hub, send, onSent } = this.#deps
    const taken = this.#waiting
    this.#waiting = new Map()
    try {
      await send([...taken].flatMap(([kind, woken]) => toPayloads(hub, kind, woken)))
      for (const kind of taken.keys()) onSent(kind)
      return true
    } catch {
      // Sent again with the next, or when the connection is open again. Twice does no harm.
      for (const [kind, { ids, isAll }] of taken) {
        if (isAll) wakeAll(this.#of(kind))
        else addWoken(this.#of(kind), ids)
      }
      return false
    }
  }

  #of(kind: WakeKind): Woken {
    const woken = this.#waiting.get(kind) ?? nobody()
    this.#waiting.set(kind, woken)
    return woken
  }
}
