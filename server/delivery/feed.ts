import type { Announcement } from '../announcements/announcement.ts'
import { type AckStep, OPEN_AT_ONCE } from '../announcements/ports.ts'
import { type CommandEnd, createCommand } from './session/command.ts'
import type { Session } from './session/session.ts'
import type { Parts } from './sessions.ts'

/** Below this number of queued announcements the next ones are read. */
const READ_BELOW = 20

/**
 *  - `level`: every stored announcement is queued.
 *  - `behind`: others wait in the outbox. They are read when few are queued.
 *  - `reading`: the outbox is being read, at first by the act that begins the session.
 *  - `outdated`: the outbox is being read, and others were stored meanwhile. It is read again afterwards.
 *  - `over`: the session has begun again, with another feed.
 */
type Phase = 'level' | 'behind' | 'reading' | 'outdated' | 'over'

/** What each event makes of a phase. `more`: others wait in the outbox. */
export const AFTER = {
  more: { level: 'behind', behind: 'behind', reading: 'outdated', outdated: 'outdated', over: 'over' },
  readStarts: { level: 'reading', behind: 'reading', reading: 'reading', outdated: 'reading', over: 'over' },
  readEnds: { level: 'level', behind: 'behind', reading: 'level', outdated: 'behind', over: 'over' },
} as const satisfies Record<string, Record<Phase, Phase>>

/** Shared by all feeds. `unspoken` is called after it was stored that an announcement was not spoken. */
export type FeedDeps = Parts & { unspoken: (deviceId: string) => Promise<void> }

/**
 * The announcements of one session: the first ones are queued, the others wait in the outbox. No later one is queued
 * before them: they go by rising number.
 */
export class Feed {
  readonly #session: Session
  readonly #deps: FeedDeps
  #phase: Phase = 'reading'
  /** The ids of those that are queued, or sent and not yet received. */
  #queued: readonly string[] = []
  /** The highest number that was queued. */
  #last = 0

  constructor(session: Session, deps: FeedDeps) {
    this.#session = session
    this.#deps = deps
  }

  end() {
    this.#phase = 'over'
  }

  #on(event: keyof typeof AFTER) {
    this.#phase = AFTER[event][this.#phase]
  }

  /** An announcement was stored by an act that began at `since`. */
  stored(announcement: Announcement, since: number) {
    // Another hub may have stored one with a lower number.
    const isNext = this.#session.numbers.given(announcement.n)
    if (isNext && this.#phase === 'level' && this.#queued.length < OPEN_AT_ONCE)
      this.#queue(announcement, since)
    else this.read()
  }

  /** Reads what is stored. */
  read() {
    this.#on('more')
    this.#readIfFew()
  }

  /** Drops announcements that were not received and are not open any more. */
  async dropEnded() {
    for (const id of this.#queued)
      if (this.#queued.includes(id) && !(await this.#deps.outbox.isOpen(id)))
        this.#session.withdraw((command) => command.id === id)
  }

  /** The session begins with these. */
  begin(open: readonly Announcement[]) {
    // They wait for the welcome.
    this.#queueAll(open, 0)
    this.#on('readEnds')
    this.#readIfFew()
  }

  #queue(announcement: Announcement, since: number) {
    const { id, n: commandNumber, amount, paidBill, lang, expiresAt } = announcement
    if (this.#session.has(id)) return
    this.#queued = [...this.#queued, id]
    this.#last = Math.max(this.#last, commandNumber)
    const onReceived = () => {
      this.#queued = this.#queued.filter((other) => other !== id)
      this.#readIfFew()
    }
    const onEnd = (end: CommandEnd) => {
      const stored = storedEnd(end)
      if (stored)
        this.#deps.sessions.inBackground('ending an announcement', this.#storeEnd(announcement, stored))
      onReceived()
    }
    const body = { kind: 'announce', amount, lang, paidBill } as const
    const sentSince = announcement.stage === 'sent' ? since : undefined
    const more = { id, commandNumber, sentSince, expiresAt, onReceived, onEnd }
    this.#session.push(createCommand(this.#deps, body, more))
  }

  #queueAll(open: readonly Announcement[], since: number) {
    for (const announcement of open) this.#queue(announcement, since)
    if (open.length === OPEN_AT_ONCE) this.#on('more')
  }

  #readIfFew() {
    const { sessions } = this.#deps
    const session = this.#session
    if (this.#phase !== 'behind' || this.#queued.length >= READ_BELOW) return
    if (sessions.born(session.deviceId) !== session) return
    const read = this.#readWhileFew().catch((error: unknown) => {
      // The next birth reads again.
      session.close()
      throw error
    })
    sessions.inBackground('reading open announcements', read)
  }

  /** Queues the next announcements from the outbox. What is stored during a read is found by the next one. */
  async #readWhileFew() {
    const { outbox, patiently, sessions, clock } = this.#deps
    const session = this.#session
    do {
      this.#on('readStarts')
      const what = { after: this.#last, isFree: session.isIdle() }
      const at = clock.now()
      const taken = await patiently(() => outbox.take(session.owner, at, what))
      if (this.#phase === 'over') return
      if (!taken) return sessions.lost(session)
      this.#queueAll(taken.open, at)
      if (this.#phase === 'reading') session.numbers.knowUpTo(taken.highestNumber)
    } while (this.#phase === 'outdated' && this.#queued.length < READ_BELOW)
    this.#on('readEnds')
  }

  /** Stores how an announcement ended that no ack has ended. */
  async #storeEnd(
    { id: announcementId, n: commandNumber, deviceId }: Announcement,
    end: Pick<AckStep, 'stage' | 'reason'>,
  ) {
    const { outbox, clock, unspoken } = this.#deps
    const judgedBy = this.#session.sessionId
    await outbox.recordAck({ announcementId, commandNumber, deviceId, ...end, judgedBy }, clock.now())
    await unspoken(deviceId)
  }
}

/** The stage of an announcement that its session has ended by itself. */
function storedEnd(end: CommandEnd): Pick<AckStep, 'stage' | 'reason'> | undefined {
  switch (end.kind) {
    case 'failed':
      return { stage: 'failed', reason: end.reason }
    case 'unheard':
      return { stage: 'expired', reason: undefined }
    case 'unproven':
      return { stage: 'delivered', reason: undefined }
    default:
      return undefined
  }
}
