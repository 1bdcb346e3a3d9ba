import type { WakeKind } from '../cluster/wakeups.ts'
import { every } from '../platform/clock.ts'
import { exceptUnavailable } from '../platform/errors.ts'
import type { Announce } from './announce.ts'
import type { DeviceKeeper } from './device-control.ts'
import type { MissedNotices } from './missed.ts'
import type { ScreenKeeper } from './screens.ts'
import type { Session } from './session/session.ts'
import { type Parts, pauseAt } from './sessions.ts'

/** How often a hub looks for announcements whose wake-up was lost. */
const NET_EVERY_MS = 1_000
/** An announcement that its own hub sends is sent by then. */
const SENT_WITHIN_MS = 500

interface More {
  announce: Announce
  missed: MissedNotices
  screens: ScreenKeeper
  control: DeviceKeeper
}

/**
 * Looks at devices of this hub again, when another hub says that something has changed for them. All of it is read from
 * the storage: a wake-up too many changes nothing.
 */
export function createElsewhere(parts: Parts, { announce, missed, screens, control }: More) {
  const { outbox, sessions, settings, maintenance, clock } = parts
  const { wakeups } = parts.cluster

  const looks: Record<
    Exclude<WakeKind, 'everything' | 'message'>,
    (session: Session) => void | Promise<void>
  > = {
    async owner(session) {
      if (!(await outbox.owns(session.owner))) sessions.lost(session)
    },
    news: announce.readNews,
    silence: announce.readAgain,
    missed: ({ deviceId }) => missed.show(deviceId),
    screen: screens.refreshIfChanged,
    async settings({ serial }) {
      for (const { deviceId, desired } of await settings.due([serial]))
        control.configureOnce(deviceId, desired)
    },
    async maintenance({ deviceId }) {
      for (const due of await maintenance.due([deviceId])) control.maintain(due)
    },
  }

  async function look(kind: WakeKind, deviceIds: readonly string[] = sessions.deviceIds()) {
    // What another hub asks for is not read here: see asks.ts.
    if (kind === 'message') return
    const what = kind === 'everything' ? Object.values(looks) : [looks[kind]]
    // A session that begins reads everything by itself.
    const found = deviceIds.flatMap((deviceId) => sessions.here(deviceId) ?? [])
    for (const [index, session] of found.entries()) {
      await pauseAt(index, clock)
      for (const one of what) await one(session)
    }
  }

  async function catchUp() {
    const now = clock.now()
    const waiting = await outbox.waiting(now, now - SENT_WITHIN_MS)
    // Behind the read, which fails while nothing can be stored.
    await look('news', [...waiting, ...announce.doubted()])
  }

  return {
    /** Listens to wake-ups, and finds announcements whose wake-up was lost. The returned function ends both. */
    start(): () => void {
      const unsubscribe = wakeups.onWake((kind, deviceIds) => {
        // When the storage is back, this hub looks at everything.
        const looked = look(kind, deviceIds).catch(exceptUnavailable)
        sessions.inBackground('looking at devices again', looked)
      })
      const end = wakeups.isAlone
        ? () => undefined
        : every(clock, NET_EVERY_MS, () => {
            // Without a storage, the sweep says so.
            sessions.inBackground('looking for announcements', catchUp().catch(exceptUnavailable))
          })
      return () => {
        unsubscribe()
        end()
      }
    },
  }
}
