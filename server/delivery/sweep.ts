import { ANNOUNCEMENT_FRESH_MS } from '../announcements/announcement.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { isUnavailable } from '../platform/errors.ts'
import type { Announce } from './announce.ts'
import { watchClockSteps } from './clock-steps.ts'
import type { Session } from './session/ports.ts'
import type { Parts } from './sessions.ts'

/** How often stale announcements are expired, and the clock is checked. */
const SWEEP_EVERY_MS = 1_000
/** How long acks of earlier sendings may come after the clock was set forward, and one minute more. */
const ACKS_COME_MS = ANNOUNCEMENT_FRESH_MS + 60_000

/** Devices that are welcomed or shown something at once, which takes about 10 ms. Payments are handled in the pause that follows. */
const AT_ONCE = 20
const PAUSE_MS = 1

/** The clock was set. */
interface Step {
  byMs: number
  /** When the clock was last checked before it, by `elapsed`. */
  since: number
}

export interface SweepDeps extends Parts {
  announce: Pick<Announce, 'showMissed'>
  cluster: Pick<Cluster, 'onceSetBack' | 'wakeups'>
  /** Welcomes a born device again, so that it takes the hub's clock. */
  welcome: (session: Session) => Promise<void>
}

/** Expires announcements, and reacts when the clock was set. */
export interface Sweep {
  /** Checks whether the clock was set. Call it before a command is sent that carries its time. */
  checkClock(): void
  /**
   * Resolves when announcements from before the clock was set back expire earlier. Until then open ones must not be
   * read for a device: some would be spoken late.
   */
  clockStored(): Promise<unknown>
  /** Starts to expire announcements and to check the clock. The returned function stops it. */
  start(): () => void
}

/**
 * When the clock was set
 *  - back: open announcements expire earlier by as much;
 *  - forward: the time may really have passed, because the machine slept. Queued announcements expire. Sent ones may be
 *    playing, and keep their time for an ack;
 *  - either way: every device is welcomed again (sb/1 11.6). It uses the hub's clock, and would refuse announcements
 *    with an earlier time as too late.
 * Held by test/server/delivery/clock-steps.test.ts and by `npm run force -- clock`.
 */
export function createSweep({ outbox, announce, sessions, cluster, welcome, clock, log }: SweepDeps): Sweep {
  const steps = watchClockSteps(clock)
  /** The last step forward, and until when (by `elapsed`) sent announcements are judged without it. */
  let forward = { byMs: 0, until: 0 }
  let checkedAt = clock.elapsed()
  let last: Step | undefined
  /** A step that could not be stored yet. */
  let unstored: Step | undefined
  let stored: Promise<unknown> = Promise.resolve()
  let isAway = false

  /** Lets births wait for an act behind those that they wait for already. A step that failed is part of the next one. */
  async function storing(act: Promise<void>): Promise<void> {
    stored = Promise.all([stored.catch(() => undefined), act])
    await stored
  }

  function checkClock() {
    const { byMs, since } = unstored ?? { byMs: 0, since: checkedAt }
    const setBy = steps.look()
    checkedAt = clock.elapsed()
    // An unstored step is handled even when the clock was set back to normal: its devices are still held.
    if (setBy === 0 && !unstored) return
    unstored = undefined
    last = { byMs: byMs + setBy, since }
    sessions.inBackground('handling a set clock', clockWasSet(last))
  }

  async function clockWasSet(step: Step) {
    const { byMs, since } = step
    log.warn({ byMs }, 'the clock was set: every device is welcomed again')
    forward = { byMs, until: clock.elapsed() + (byMs > 0 ? ACKS_COME_MS : 0) }
    const welcomed = sessions.allBorn()
    for (const session of welcomed) session.hold()
    try {
      const setBack = (unsureMs: number) => {
        const at = clock.now()
        return outbox.clockSetBack(at, { byMs: -byMs, since: at - (clock.elapsed() - since) - unsureMs })
      }
      await storing(byMs < 0 ? cluster.onceSetBack(setBack) : Promise.resolve())
    } catch (error) {
      // The devices stay held, so that nothing stale is sent. The next check tries again.
      unstored = { byMs: byMs + (unstored?.byMs ?? 0), since }
      throw error
    }
    for (const [index, session] of welcomed.entries()) {
      await pauseSometimes(index)
      // The clock was set again meanwhile: the newer step holds and welcomes these devices, too.
      if (last !== step) return
      sessions.inBackground('a welcome', welcomeAgain(session))
    }
  }

  async function welcomeAgain(session: Session) {
    try {
      await welcome(session)
    } catch (error) {
      // The session is still held. A new connection starts with a birth.
      session.close()
      throw error
    }
  }

  async function pauseSometimes(index: number) {
    if (index % AT_ONCE === AT_ONCE - 1) await new Promise<void>((resolve) => clock.after(PAUSE_MS, resolve))
  }

  async function sweep() {
    checkClock()
    const isRecent = clock.elapsed() < forward.until
    const now = clock.now()
    const deviceIds = await outbox.expire(now, now - (isRecent ? forward.byMs : 0))
    const connected = deviceIds.filter((deviceId) => sessions.toTell(deviceId, 'missed'))
    for (const [index, deviceId] of connected.entries()) {
      await pauseSometimes(index)
      await announce.showMissed(deviceId)
    }
  }

  /** Says once that the storage is away, and once that it is back. Other background work of the hub relies on it. */
  async function sweepOrSay() {
    try {
      await sweep()
      if (isAway) log.info('the storage is back')
      isAway = false
    } catch (error) {
      const wasAway = isAway
      isAway = isUnavailable(error)
      if (!wasAway)
        log.error(
          { err: error },
          isAway ? 'the storage is away: requests get 503 until it is back' : 'the sweep failed',
        )
    }
  }

  return {
    checkClock,
    clockStored: () => stored,
    start() {
      let cancel: () => void = () => undefined
      const next = () => {
        cancel = clock.after(SWEEP_EVERY_MS, () => {
          void sweepOrSay()
          next()
        })
      }
      // While this waits for its commit, other hubs may store what looks like the future.
      if (cluster.wakeups.isAlone) {
        const checked = outbox.clockSetBack(clock.now())
        sessions.inBackground('the clock check at the start', checked)
        void storing(checked.catch(() => undefined))
      }
      next()
      return () => cancel()
    },
  }
}
