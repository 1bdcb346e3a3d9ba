import type { Announcement } from '../announcements/announcement.ts'
import { type Announcer, type MissedMark, OPEN_AT_ONCE } from '../announcements/ports.ts'
import { createClaims } from './claims.ts'
import { type Command, type CommandEnd, createCommand } from './session/command.ts'
import type { Session } from './session/ports.ts'
import type { Parts } from './sessions.ts'

/** Below this number of queued announcements the next ones are read. */
const READ_BELOW = 20

/** Sends announcements and missed payments to connected devices. */
export interface Announce extends Announcer {
  /** Sends nothing to a session that begins, until `sendOpen` gets what comes first. */
  hold(session: Session): void
  /** Sends the announcements that are open and fresh, after a device was welcomed. */
  sendOpen(session: Session, open: readonly Announcement[]): void
  /** Shows payments that came too late or failed, if there are any and the device is connected (sb/1 7.10). */
  showMissed(deviceId: string): Promise<void>
  /** Devices that may have an announcement of which this hub has not heard that it was stored. Names each once. */
  doubted(): string[]
  /** Sends what is stored and this hub has not read. */
  readNews(session: Session): void
  /** Sends what is stored, drops what waits and is not open any more, and sums up missed payments again. */
  readAgain(session: Session): Promise<void>
  /** As `showMissed`, after payments were taken out of the sum: one that is not sent yet is no longer right. */
  sumUpAgain(deviceId: string): Promise<void>
  /**
   * The device says that it has shown a command. If that is a notice of missed payments, resolves when this is stored.
   * Call it before the command ends, so that the next notice does not repeat these payments.
   */
  noticeShown(session: Session, commandId: string): Promise<void>
  /** Drops what waits for a device that was locked or released. */
  silence(deviceId: string): void
}

/** The announcements of one session: the first ones are queued, the others wait in the outbox. */
interface Feed {
  /** The ids of those that are queued, or sent and not yet received. */
  queued: Set<string>
  /** The highest number that was queued. */
  last: number
  /** There are others in the outbox. No later one is queued before them: they go by rising number. */
  hasMore: boolean
  isReading: boolean
}

const isUnsentNotice = ({ body }: Command, isSent: boolean) => body.kind === 'missed' && !isSent

export function createAnnounce(deps: Parts): Announce {
  const { outbox, patiently, sessions, clock } = deps
  const claims = createClaims((deviceId) => {
    const session = sessions.born(deviceId)
    if (!session?.isIdle()) return undefined
    const { sessionId, knownNumber } = session
    return { deviceId, sessionId, knownNumber }
  })
  const feeds = new WeakMap<Session, Feed>()
  /** The notice of missed payments that each session sends. `again`: others were missed since. */
  const notices = new WeakMap<Session, { id: string; again: boolean }>()
  /** How often a payment was taken out of the sum of a session's device. */
  const takenOut = new WeakMap<Session, number>()
  /**
   * What the notices of each session name, by command, until they are stored as shown. One that was dropped after its
   * sending stays: the device may have shown it all the same.
   */
  const marks = new WeakMap<Session, Map<string, MissedMark>>()
  /** What is done about the missed payments of each device, one at a time. */
  const missedWork = new Map<string, Promise<void>>()

  /** Queues an announcement that was just stored, unless others come first. */
  function send(session: Session, announcement: Announcement) {
    const feed = feeds.get(session)
    if (!feed) return
    // Another hub may have stored one with a lower number.
    const isNext = session.learn(announcement.n)
    if (isNext && !feed.hasMore && !feed.isReading && feed.queued.size < OPEN_AT_ONCE)
      return queue(session, feed, announcement)
    readNews(session)
  }

  function queue(session: Session, feed: Feed, announcement: Announcement) {
    const { id, n: commandNumber, amount, paidBill, lang, expiresAt } = announcement
    const alreadySent = announcement.stage === 'sent'
    if (session.has(id)) return
    feed.queued.add(id)
    feed.last = Math.max(feed.last, commandNumber)
    const onReceived = () => {
      feed.queued.delete(id)
      readMoreIfLow(session, feed)
    }
    const onEnd = (end: CommandEnd) => {
      if (end.kind === 'failed' || end.kind === 'unheard')
        sessions.inBackground('ending an announcement', endUnspoken(session, announcement, end))
      onReceived()
    }
    const body = { kind: 'announce', amount, lang, paidBill } as const
    const more = { id, commandNumber, alreadySent, expiresAt, onReceived, onEnd }
    session.push(createCommand(deps, body, more))
  }

  function readMoreIfLow(session: Session, feed: Feed) {
    if (!feed.hasMore || feed.isReading || feed.queued.size >= READ_BELOW) return
    if (feeds.get(session) !== feed || sessions.born(session.deviceId) !== session) return
    const read = readMore(session, feed).catch((error: unknown) => {
      // The next birth reads again.
      session.close()
      throw error
    })
    sessions.inBackground('reading open announcements', read)
  }

  function readNews(session: Session) {
    const feed = feeds.get(session)
    if (!feed) return
    feed.hasMore = true
    readMoreIfLow(session, feed)
  }

  function queueAll(session: Session, feed: Feed, open: readonly Announcement[]) {
    for (const announcement of open) queue(session, feed, announcement)
    feed.hasMore ||= open.length === OPEN_AT_ONCE
  }

  /** Queues the next announcements from the outbox. What is stored during the read is found by the next one. */
  async function readMore(session: Session, feed: Feed) {
    feed.isReading = true
    do {
      feed.hasMore = false
      const what = { after: feed.last, isFree: session.isIdle() }
      const taken = await patiently(() => outbox.take(session, clock.now(), what))
      if (feeds.get(session) !== feed) return
      if (!taken) return sessions.lost(session)
      queueAll(session, feed, taken.open)
      if (!feed.hasMore) session.knowAll(taken.highestNumber)
    } while (feed.hasMore && feed.queued.size < READ_BELOW)
    feed.isReading = false
  }

  /** Stores that an announcement was not spoken, unless its ack was stored before, and shows it as missed. */
  async function endUnspoken(
    { sessionId: judgedBy }: Session,
    { id: announcementId, n: commandNumber, deviceId }: Announcement,
    end: Extract<CommandEnd, { kind: 'failed' | 'unheard' }>,
  ) {
    const stage = end.kind === 'failed' ? 'failed' : 'expired'
    const reason = end.kind === 'failed' ? end.reason : undefined
    const step = { announcementId, commandNumber, deviceId, stage, reason, judgedBy } as const
    await outbox.recordAck(step, clock.now())
    await showMissed(deviceId)
  }

  /** A sum that is made while payments are marked as shown would be neither the old one nor the new one. */
  async function inTurn(deviceId: string, work: () => Promise<void>) {
    const before = missedWork.get(deviceId)
    const { promise: done, resolve } = Promise.withResolvers<void>()
    missedWork.set(deviceId, done)
    try {
      await before
      await work()
    } finally {
      if (missedWork.get(deviceId) === done) missedWork.delete(deviceId)
      resolve()
    }
  }

  function showMissed(deviceId: string): Promise<void> {
    return inTurn(deviceId, async () => {
      // Not the session of an ack: it may have ended while the ack was stored.
      const session = sessions.toTell(deviceId, 'missed')
      if (!session) return
      session.withdraw(isUnsentNotice)
      // One that was sent names its payments until it ends: a second one would name them again (sb/1 7.10).
      const underWay = notices.get(session)
      if (underWay) return void Object.assign(underWay, { again: true })
      const before = takenOut.get(session)
      const missed = await patiently(() => outbox.missed(deviceId))
      // Whoever took a payment out of the sum sums up again.
      if (!missed || takenOut.get(session) !== before) return
      const { count, amount, mark } = missed
      const onEnd = (end: CommandEnd) => {
        notices.delete(session)
        if (end.kind === 'failed' || command.commandNumber === undefined) named.delete(command.id)
        if (notice.again) sessions.inBackground('showing missed payments', showMissed(deviceId))
      }
      // Of a device that was released nothing is missed. One that was sent may be on the screen, and is not corrected.
      const isRight = async (isAgain: boolean) => {
        const found = await outbox.missed(deviceId)
        const isSame = found?.count === count && found.amount === amount
        const right = isAgain ? found !== undefined : isSame
        notice.again ||= !right
        return right
      }
      const command = createCommand(deps, { kind: 'missed', count, amount }, { isRight, onEnd })
      const notice = { id: command.id, again: false }
      const named = marks.get(session) ?? new Map<string, MissedMark>()
      marks.set(session, named.set(command.id, mark))
      notices.set(session, notice)
      session.push(command)
    })
  }

  async function noticeShown(session: Session, commandId: string) {
    const { deviceId } = session
    const named = marks.get(session)
    const mark = named?.get(commandId)
    if (!mark) return
    const wasDropped = notices.get(session)?.id !== commandId
    await inTurn(deviceId, () => patiently(() => outbox.markMissedShown(deviceId, mark, clock.now())))
    const isFirstAck = named?.delete(commandId)
    if (wasDropped && isFirstAck) sessions.inBackground('summing up missed payments', sumUpAgain(deviceId))
  }

  async function sumUpAgain(deviceId: string) {
    const session = sessions.toTell(deviceId, 'missed')
    if (!session) return
    takenOut.set(session, (takenOut.get(session) ?? 0) + 1)
    session.withdraw(isUnsentNotice)
    await showMissed(deviceId)
  }

  return {
    claim: claims.claim,

    doubted: claims.doubted,

    announce(announcements, storeKey) {
      claims.remember(
        storeKey,
        announcements.map(({ deviceId }) => deviceId),
      )
      for (const announcement of announcements) {
        const session = sessions.ofOrWake(announcement.deviceId, 'news')
        if (session) send(session, announcement)
      }
    },

    hold: (session) =>
      void feeds.set(session, { queued: new Set(), last: 0, hasMore: false, isReading: true }),

    sendOpen(session, open) {
      const feed = feeds.get(session)
      if (!feed) return
      queueAll(session, feed, open)
      feed.isReading = false
      readMoreIfLow(session, feed)
    },

    readNews,

    async readAgain(session) {
      for (const id of feeds.get(session)?.queued ?? [])
        if (!(await outbox.isOpen(id))) session.withdraw((command) => command.id === id)
      readNews(session)
      await sumUpAgain(session.deviceId)
    },

    showMissed,

    sumUpAgain,

    noticeShown,

    silence(deviceId) {
      // A notice that was sent may be on the screen: its ack says so, and the next one must not repeat it (sb/1 7.23).
      sessions
        .toTell(deviceId, 'silence')
        ?.withdraw((command, isSent) => command.body.kind === 'announce' || isUnsentNotice(command, isSent))
    },
  }
}
