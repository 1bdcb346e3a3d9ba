import { ANNOUNCEMENT_FRESH_MS } from '../announcements/announcement.ts'
import { type ClockSteps, every, watchClockSteps } from '../platform/clock.ts'
import { isUnavailable } from '../platform/errors.ts'
import type { MissedNotices } from './missed.ts'
import type { Session } from './session/session.ts'
import { type Parts, pauseAt } from './sessions.ts'
import type { Welcome } from './welcome.ts'

/** How often stale announcements are expired, and the clock is checked. */
const SWEEP_EVERY_MS = 1_000
/** How long acks of earlier sendings may come after the clock was set forward, and one minute more. */
const ACKS_COME_MS = ANNOUNCEMENT_FRESH_MS + 60_000

/** The clock was set. */
interface Step {
  byMs: number
  /** When the clock was last checked before it, by `elapsed`. */
  since: number
}

/**
 * Expires announcements, and reacts when the clock was set:
 *  - back: open announcements expire earlier by as much;
 *  - forward: the time may really have passed, because the machine slept. Queued announcements expire. Sent ones may be
 *    playing, and keep their time for an ack;
 *  - either way: every device is welcomed again (sb/1 11.6). It uses the hub's clock, and would refuse announcements
 *    with an earlier time as too late.
 * Held by test/server/delivery/clock-steps.test.ts and by `npm run force -- clock`.
 */
export class Sweep {
  readonly #deps: Parts & { missed: MissedNotices; welcome: Welcome }
  readonly #steps: ClockSteps
  /** The last step forward, and until when (by `elapsed`) sent announcements are judged without it. */
  #forward = { byMs: 0, until: 0 }
  #checkedAt: number
  #last: Step | undefined
  /** A step that could not be stored yet. */
  #unstored: Step | undefined
  #stored: Promise<unknown> = Promise.resolve()
  #isAway = false

  /** `welcome` lets a born device take the hub's clock. */
  constructor(parts: Parts, more: { missed: MissedNotices; welcome: Welcome }) {
    this.#deps = { ...parts, ...more }
    this.#steps = watchClockSteps(parts.clock)
    this.#checkedAt = parts.clock.elapsed()
  }

  /** Starts to expire announcements and to check the clock. The returned function stops it. */
  start(): () => void {
    const { cluster, outbox, sessions, clock } = this.#deps
    // While this waits for its commit, other hubs may store what looks like the future.
    if (cluster.wakeups.isAlone) {
      const checked = outbox.clockSetBack(clock.now())
      sessions.inBackground('the clock check at the start', checked)
      void this.#storing(checked.catch(() => undefined))
    }
    return every(clock, SWEEP_EVERY_MS, () => void this.#sweepOrSay())
  }

  /**
   * Resolves when announcements from before the clock was set back expire earlier. Until then open ones must not be
   * read for a device: some would be spoken late.
   */
  clockStored(): Promise<unknown> {
    return this.#stored
  }

  /** Checks whether the clock was set. Call it before a command is sent that carries its time. */
  checkClock() {
    const { sessions, clock } = this.#deps
    const { byMs, since } = this.#unstored ?? { byMs: 0, since: this.#checkedAt }
    const setBy = this.#steps.look()
    this.#checkedAt = clock.elapsed()
    // An unstored step is handled even when the clock was set back to normal: its devices are still held.
    if (setBy === 0 && !this.#unstored) return
    this.#unstored = undefined
    this.#last = { byMs: byMs + setBy, since }
    sessions.inBackground('handling a set clock', this.#clockWasSet(this.#last))
  }

  /** Lets births wait for an act behind those that they wait for already. A step that failed is part of the next one. */
  async #storing(act: Promise<void>): Promise<void> {
    this.#stored = Promise.all([this.#stored.catch(() => undefined), act])
    await this.#stored
  }

  async #clockWasSet(step: Step) {
    const { sessions, clock, log } = this.#deps
    const { byMs, since } = step
    log.warn({ byMs }, 'the clock was set: every device is welcomed again')
    this.#forward = { byMs, until: clock.elapsed() + (byMs > 0 ? ACKS_COME_MS : 0) }
    const welcomed = sessions.allBorn()
    for (const session of welcomed) session.hold()
    try {
      await this.#storing(byMs < 0 ? this.#storeSetBack(step) : Promise.resolve())
    } catch (error) {
      // The devices stay held, so that nothing stale is sent. The next check tries again.
      this.#unstored = { byMs: byMs + (this.#unstored?.byMs ?? 0), since }
      throw error
    }
    for (const [index, session] of welcomed.entries()) {
      await pauseAt(index, clock)
      // The clock was set again meanwhile: the newer step holds and welcomes these devices, too.
      if (this.#last !== step) return
      sessions.inBackground('a welcome', this.#welcomeAgain(session))
    }
  }

  #storeSetBack({ byMs, since }: Step): Promise<void> {
    const { cluster, outbox, clock } = this.#deps
    return cluster.onceSetBack((unsureMs) => {
      const at = clock.now()
      return outbox.clockSetBack(at, { byMs: -byMs, since: at - (clock.elapsed() - since) - unsureMs })
    })
  }

  async #welcomeAgain(session: Session) {
    try {
      await this.#deps.welcome(session)
    } catch (error) {
      // The session is still held. A new connection starts with a birth.
      session.close()
      throw error
    }
  }

  async #sweep() {
    const { outbox, sessions, missed, clock } = this.#deps
    this.checkClock()
    const isRecent = clock.elapsed() < this.#forward.until
    const now = clock.now()
    const deviceIds = await outbox.expire(now, now - (isRecent ? this.#forward.byMs : 0))
    const connected = deviceIds.filter((deviceId) => sessions.toTell(deviceId, 'missed'))
    for (const [index, deviceId] of connected.entries()) {
      await pauseAt(index, clock)
      await missed.show(deviceId)
    }
  }

  /** Says once that the storage is away, and once that it is back. Other background work of the hub relies on it. */
  async #sweepOrSay() {
    const { log } = this.#deps
    try {
      await this.#sweep()
      if (this.#isAway) log.info('the storage is back')
      this.#isAway = false
    } catch (error) {
      const wasAway = this.#isAway
      this.#isAway = isUnavailable(error)
      if (wasAway) return
      const why = this.#isAway ? 'the storage is away: requests get 503 until it is back' : 'the sweep failed'
      log.error({ err: error }, why)
    }
  }
}
