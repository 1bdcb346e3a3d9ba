import type { Birth, SessionStart } from '../announcements/ports.ts'
import type { Announce } from './announce.ts'
import type { DeviceKeeper } from './device-control.ts'
import { Breach } from './dialect.ts'
import type { MissedNotices } from './missed.ts'
import type { Releases } from './releases.ts'
import type { ScreenKeeper } from './screens.ts'
import { createCommand } from './session/command.ts'
import type { Session } from './session/session.ts'
import type { Parts } from './sessions.ts'

export type Welcome = ReturnType<typeof createWelcome>

/**
 * Begins the session of a device that was born:
 *  1. store what it says of itself and that it has its key (sb/1 2.9), bring the stored stages in line with what it has
 *     played (sb/1 7.9), and read what follows, in one act,
 *  2. welcome it (sb/1 7.1), with the version of its settings that the hub knows (sb/1 8.7),
 *  3. send the announcements that are still fresh, its screen, its settings, and the payments that it has missed,
 *  4. send the new key and the firmware that wait for it.
 */
export function createWelcome(
  parts: Parts,
  more: {
    announce: Announce
    missed: MissedNotices
    screens: ScreenKeeper
    control: DeviceKeeper
    releases: Releases
    sweep: { clockStored(): Promise<unknown> }
  },
) {
  const { outbox, maintenance, departures, cluster, sessions, clock } = parts
  const { announce, missed, screens, control, releases, sweep } = more

  /** Starts a session with a birth, or starts it again. Of several at once the last birth counts, or else the first. */
  return async function welcome(session: Session, birth?: Birth) {
    const { deviceId } = session
    for (let isAgain = false; ; isAgain = true) {
      const stored = sweep.clockStored()
      await stored
      if (sessions.of(deviceId) !== session || (!birth && session.beginning)) return
      const beginning = { isStale: false }
      session.beginning = beginning
      session.hold()
      announce.hold(session)
      const start = await outbox.begin(session.owner, clock.now(), birth && { ...birth, isAgain })
      if (!start && (!birth || isAgain)) return sessions.lost(session)
      if (!start) throw new Breach('birth: under a key that was replaced, or overtaken by another one')
      if (start.isTakeover) cluster.wakeups.wake('owner', [deviceId])
      departures.born(deviceId, session.sessionId)
      if (!sessions.of(deviceId)) departures.left(deviceId)
      if (sessions.of(deviceId) !== session) return releases.add(session.owner)
      // A birth has come meanwhile.
      if (session.beginning !== beginning) return
      session.beginning = undefined
      // In the same turn: a later change is sent to the session itself.
      if (!beginning.isStale && stored === sweep.clockStored()) return follow(session, start, birth)
    }
  }

  /** Sends what a session begins with. No await before the settings: newer ones could come first. */
  async function follow(session: Session, start: SessionStart, birth: Birth | undefined) {
    const { deviceId } = session
    const { highestNumber, screen, reportedVersion: settingsVersion } = start
    control.mayGiveAgain(session)
    session.begin(birth?.born.bufferBytes, start.numbers)
    session.push(
      createCommand(parts, { kind: 'welcome', highestNumber, linked: screen.linked, settingsVersion }),
    )
    // Before the screen: a device that needs no welcome is sent the first command at once.
    announce.sendOpen(session, start.open)
    screens.show(session, screen)
    if (start.settings) control.configure(deviceId, start.settings)
    if (start.hasMissed) await missed.show(deviceId)
    if (start.hasMaintenance) for (const one of await maintenance.due([deviceId])) control.maintain(one)
  }
}
