import { ANNOUNCEMENT_FRESH_MS } from '../announcements/announcement.ts'
import type { Outbox } from '../announcements/ports.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/log.ts'
import type { Announce } from './announce.ts'
import { watchClockSteps } from './clock-steps.ts'
import type { Session } from './session/ports.ts'
import type { Sessions } from './sessions.ts'

/** How often announcements that are no longer fresh are ended, and the clock is looked at. */
const SWEEP_EVERY_MS = 1_000
/** After the clock was set forward: for as long an ack may come of what was sent before, and a minute more. */
const ACKS_COME_MS = ANNOUNCEMENT_FRESH_MS + 60_000
/** Nobody knows by how much the clock was set back while the hub was away: only what is dated ahead gives it away. */
const BY_ANYTHING_MS = Number.MAX_SAFE_INTEGER
const SINCE_EVER = 0

/** Devices that are welcomed anew in one turn of the event loop, some 10 ms: payments come in between. */
const WELCOMED_AT_ONCE = 20

/** The clock was set. */
interface Step {
  byMs: number
  /** The last look before it, by `elapsed`. */
  since: number
}

export interface SweepDeps {
  outbox: Pick<Outbox, 'clockSetBack'>
  announce: Pick<Announce, 'sweep'>
  sessions: Sessions
  /** Welcomes a born session anew: it takes the hub's clock from that. */
  welcome: (session: Session) => Promise<void>
  clock: Clock
  log: Logger
}

/** Keeps what is on its way in step with time. */
export interface Sweep {
  /** Sees to it at once when the clock was set: asked before anything is said that is dated by it. */
  lookAtClock(): void
  /** Ends what is no longer fresh, and looks at the clock, from now on; the returned function stops it. */
  start(): () => void
}

/**
 * When the clock was set,
 *  - back: what is on its way ends earlier by as much;
 *  - forward: the time may really have passed (a machine that slept), so what was not sent is no news any more; but
 *    what was sent may be spoken by now, and keeps its time for an ack;
 *  - either way, every device is welcomed anew (sb/1 11.6): it reckons with the hub's clock, and would refuse news
 *    that is dated before it as too late.
 * Held by test/server/delivery/clock-steps.test.ts and by `npm run force -- clock`.
 */
export function createSweep({ outbox, announce, sessions, welcome, clock, log }: SweepDeps): Sweep {
  const steps = watchClockSteps(clock)
  /** The last step forward: by how much, and until when, by `elapsed`, it is kept from what was sent. */
  let forward = { byMs: 0, until: 0 }
  let lookedAt = clock.elapsed()
  let last: Step | undefined
  /** A step that could not be put on record yet. */
  let unsettled: Step | undefined

  function lookAtClock() {
    const { byMs, since } = unsettled ?? { byMs: 0, since: lookedAt }
    const setBy = steps.look()
    lookedAt = clock.elapsed()
    // Also when that was taken back meanwhile: the devices are still held.
    if (setBy === 0 && !unsettled) return
    unsettled = undefined
    last = { byMs: byMs + setBy, since }
    sessions.inBackground('seeing to a clock that was set', clockWasSet(last))
  }

  async function clockWasSet(step: Step) {
    const { byMs, since } = step
    log.warn({ byMs }, 'the clock was set: every device is welcomed anew')
    forward = { byMs, until: clock.elapsed() + (byMs > 0 ? ACKS_COME_MS : 0) }
    const welcomed = sessions.allBorn()
    for (const session of welcomed) session.hold()
    try {
      const at = clock.now()
      if (byMs < 0) await outbox.clockSetBack(-byMs, at, at - (clock.elapsed() - since))
    } catch (error) {
      // Nothing is sent that may be old: the next look tries again.
      unsettled = { byMs: byMs + (unsettled?.byMs ?? 0), since }
      throw error
    }
    for (const [index, session] of welcomed.entries()) {
      if (index % WELCOMED_AT_ONCE === WELCOMED_AT_ONCE - 1)
        await new Promise((resolve) => setImmediate(resolve))
      // Set again meanwhile: that holds these too, and welcomes them.
      if (last !== step) return
      sessions.inBackground('a welcome', welcomeAnew(session))
    }
  }

  async function welcomeAnew(session: Session) {
    try {
      await welcome(session)
    } catch (error) {
      // It is still held, and would hear nothing any more: its next birth begins anew.
      session.close()
      throw error
    }
  }

  function sweep(): Promise<void> {
    lookAtClock()
    const isHeld = clock.elapsed() < forward.until
    return announce.sweep(clock.now() - (isHeld ? forward.byMs : 0))
  }

  return {
    lookAtClock,
    start() {
      let cancel: () => void = () => undefined
      const next = () => {
        cancel = clock.after(SWEEP_EVERY_MS, () => {
          sessions.inBackground('the sweep', sweep())
          next()
        })
      }
      const sinceBefore = outbox.clockSetBack(BY_ANYTHING_MS, clock.now(), SINCE_EVER)
      sessions.inBackground('a look at the clock', sinceBefore)
      next()
      return () => cancel()
    },
  }
}
