import type { Announcement } from '../announcements/announcement.ts'
import { createClaims } from './claims.ts'
import { Feed } from './feed.ts'
import { isUnsentNotice, type MissedNotices } from './missed.ts'
import type { Session } from './session/session.ts'
import type { Parts } from './sessions.ts'

export type Announce = ReturnType<typeof createAnnounce>

/** Sends announcements to connected devices. */
export function createAnnounce(parts: Parts, missed: Pick<MissedNotices, 'show' | 'sumUpAgain'>) {
  const { sessions } = parts
  const { claim, doubted, remember } = createClaims((deviceId) => {
    const session = sessions.born(deviceId)
    if (!session?.isIdle()) return undefined
    return { deviceId, sessionId: session.sessionId, knownNumber: session.numbers.known }
  })
  const feeds = new WeakMap<Session, Feed>()
  const feedDeps = { ...parts, unspoken: (deviceId: string) => missed.show(deviceId) }

  return {
    claim,

    /** Devices that may have an announcement of which this hub has not heard that it was stored. Names each once. */
    doubted,

    announce(announcements: readonly Announcement[], storeKey: string) {
      const deviceIds = announcements.map(({ deviceId }) => deviceId)
      remember(storeKey, deviceIds)
      for (const announcement of announcements) {
        const session = sessions.ofOrWake(announcement.deviceId, 'news')
        if (session) feeds.get(session)?.stored(announcement)
      }
    },

    /** Sends nothing to a session that begins, until `sendOpen` gets what comes first. */
    hold(session: Session) {
      feeds.get(session)?.end()
      feeds.set(session, new Feed(session, feedDeps))
    },

    /** Sends the announcements that are open and fresh, after a device was welcomed. */
    sendOpen: (session: Session, open: readonly Announcement[]) => feeds.get(session)?.begin(open),

    /** Sends what is stored and this hub has not read. */
    readNews: (session: Session) => feeds.get(session)?.read(),

    /** Sends what is stored, drops what waits and is not open any more, and sums up missed payments again. */
    async readAgain(session: Session) {
      await feeds.get(session)?.dropEnded()
      feeds.get(session)?.read()
      await missed.sumUpAgain(session.deviceId)
    },

    /** Drops what waits for a device that was locked or released. */
    silence(deviceId: string) {
      // A notice that was sent may be on the screen: its ack says so, and the next one must not repeat it (sb/1 7.23).
      sessions
        .toTell(deviceId, 'silence')
        ?.withdraw((command, isSent) => command.body.kind === 'announce' || isUnsentNotice(command, isSent))
    },
  }
}
