import type { Announcement } from '../announcements/announcement.ts'
import type { FreeSpeaker } from '../announcements/ports.ts'
import { createBoundedMap } from '../platform/bounded-map.ts'
import { Feed } from './feed.ts'
import { isUnsentNotice, type MissedNotices } from './missed.ts'
import type { Session } from './session/session.ts'
import type { Parts } from './sessions.ts'

export type Announce = ReturnType<typeof createAnnounce>

/** Sends announcements to connected devices. */
export function createAnnounce(
  parts: Parts,
  { missed, sweep }: { missed: Pick<MissedNotices, 'show' | 'sumUpAgain'>; sweep: { checkClock(): void } },
) {
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

    announce(announcements: readonly Announcement[], storeKey: string, since: number) {
      sweep.checkClock()
      const deviceIds = announcements.map(({ deviceId }) => deviceId)
      remember(storeKey, deviceIds)
      for (const announcement of announcements) {
        const session = sessions.ofOrWake(announcement.deviceId, 'news')
        if (session) feeds.get(session)?.stored(announcement, since)
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

/** Stores whose speakers are remembered. */
const STORES = 10_000

/**
 * Guesses which speakers will announce a store's next payment: those that announced its last one.
 *
 * Why: an announcement that is stored as sent by its payment's own commit needs no second commit. That holds only for an
 * idle speaker, and only for one payment at a time. A wrong guess costs nothing but that second commit.
 */
export function createClaims(idle: (deviceId: string) => FreeSpeaker | undefined) {
  const speakersOf = createBoundedMap<string[]>(STORES)
  const claimed = new Set<string>()
  const doubtful = new Set<string>()

  return {
    async claim<T>(storeKey: string, act: (speakers: readonly FreeSpeaker[]) => Promise<T>): Promise<T> {
      const deviceIds = speakersOf.get(storeKey) ?? []
      const speakers = deviceIds.flatMap((deviceId) => (claimed.has(deviceId) ? [] : (idle(deviceId) ?? [])))
      for (const { deviceId } of speakers) claimed.add(deviceId)
      try {
        return await act(speakers)
      } catch (error) {
        for (const { deviceId } of speakers) doubtful.add(deviceId)
        throw error
      } finally {
        for (const { deviceId } of speakers) claimed.delete(deviceId)
      }
    },

    /** The speakers of failed claims, each once. */
    doubted(): string[] {
      const deviceIds = [...doubtful]
      doubtful.clear()
      return deviceIds
    },

    /** Stores the speakers of the store's last payment. */
    remember: speakersOf.set,
  }
}
