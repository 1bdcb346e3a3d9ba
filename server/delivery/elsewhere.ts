import type { WakeKind, Wakeups } from '../cluster/wakeups.ts'
import type { MaintenanceRecords } from '../devices/maintenance.ts'
import { every } from '../platform/clock.ts'
import { exceptUnavailable } from '../platform/errors.ts'
import type { SettingsRecords } from '../settings/ports.ts'
import type { Announce } from './announce.ts'
import type { DeviceKeeper } from './device-control.ts'
import type { MissedNotices } from './missed.ts'
import type { ScreenKeeper } from './screens.ts'
import type { Session } from './session/session.ts'
import type { Parts } from './sessions.ts'

/** How often a hub looks for announcements whose wake-up was lost. */
const NET_EVERY_MS = 1_000
/** An announcement that its own hub sends is sent by then. */
const SENT_WITHIN_MS = 500
/** Devices that are looked at together. Payments are handled in the pause that follows. */
const AT_ONCE = 20
const PAUSE_MS = 1

export interface ElsewhereDeps extends Parts {
  wakeups: Wakeups
  announce: Announce
  missed: Pick<MissedNotices, 'show'>
  screens: Pick<ScreenKeeper, 'refreshIfChanged'>
  control: Pick<DeviceKeeper, 'configureOnce' | 'maintain'>
  settings: Pick<SettingsRecords, 'due'>
  maintenance: Pick<MaintenanceRecords, 'due'>
}

/**
 * Looks at devices of this hub again, when another hub says that something has changed for them. All of it is read from
 * the storage: a wake-up too many changes nothing.
 */
export function createElsewhere(deps: ElsewhereDeps) {
  const { outbox, sessions, wakeups, announce, missed, screens, control, settings, maintenance, clock } = deps

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
      if (index % AT_ONCE === AT_ONCE - 1)
        await new Promise<void>((resolve) => clock.after(PAUSE_MS, resolve))
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
    /** Listens, and looks for what no wake-up has told. The returned function ends it. */
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
