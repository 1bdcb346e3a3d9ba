import type { StoreDay } from '../../../server/payments/lists/summarize-day.ts'
import type { BoxWitness, SimulatedBox } from '../boxes/box.ts'
import { createBoxOracle } from '../boxes/oracle/box-oracle.ts'
import { checkDay } from '../boxes/oracle/day.ts'
import type { Hub } from '../hub/hub.ts'
import type { Trace } from '../kit/trace.ts'
import { Violation } from '../kit/violation.ts'
import type { Parcel } from '../shop/receivers.ts'
import type { Town } from '../shop/town.ts'
import type { SimulatedSpeaker, Witness } from '../speaker/speaker.ts'
import type { Books, Entry } from './books.ts'
import { createDeadlines } from './deadlines.ts'
import type { Sender } from './end.ts'
import { createEvents } from './events.ts'
import { type AnnouncementRow, type FileReader, readFile } from './file.ts'
import { createGateWatch, type GateWatch } from './gate.ts'
import { checkMoney } from './money.ts'
import { createOwnership } from './ownership.ts'
import { createPresence } from './presence.ts'
import { findUnrest, type Unrest } from './rest.ts'
import { createSent } from './sent.ts'
import { createSpeech } from './speech.ts'
import { createStages, isFinal } from './stages.ts'
import { createWebhookWatch } from './webhooks.ts'
import { createWindow } from './window.ts'

/** Judges a world by what can be seen from outside: the file, the frames, the answers, and what was heard. */
export interface Oracle {
  readonly witness: Witness
  readonly boxes: BoxWitness
  readonly gate: GateWatch
  /** The hub works on this file from now on. */
  attach(file: string): void
  detach(): void
  /** A hub is killed: it may have had no time for what it wanted to store. */
  killed(hub: Hub): void
  /** A hub stands still, goes on, or has lost its storage. */
  disturbed(hub: Hub): void
  /** One of several hubs has committed. */
  committed(hub: Hub): void
  /** An endpoint of a webhook gets something. */
  got(parcel: Parcel, isConfirmed: boolean): void
  /** The hub's clock was set. */
  clockWasSet(byMs: number): void
  /** Judges something; what is wrong is thrown by the next `check`. */
  judge(what: () => void): void
  /** Throws the first Violation there was. */
  check(): void
  /** The file is older than what was seen: a backup was restored. Answers the payments that are not in it. */
  rewind(): readonly Entry[]
  /** Whether everything is told, and everybody knows it. */
  isAtRest(): boolean
  /** The days of a partner's shops, as the hub tells them. */
  checkDay(days: readonly StoreDay[]): void
  /** Says what is not at rest. */
  checkEnd(): void
  /** Counts what has become of everything. */
  tally(): void
  /** A speaker has a buffer of so many bytes. */
  buffer(serial: string, bytes: number): void
}

export function createOracle(deps: {
  town: Town
  books: Books
  now: () => number
  elapsed: () => number
  /** Those that are alive. */
  hubs: () => readonly Hub[]
  /** There are several on one file. */
  areSeveral: boolean
  trace: Trace
  speakers: () => readonly SimulatedSpeaker[]
  boxes: () => readonly SimulatedBox[]
  answersLate: boolean
  /** Webhooks are sent. */
  sendsWebhooks: boolean
}): Oracle {
  const { town, books, now, elapsed, trace, speakers, hubs, areSeveral } = deps
  const sent = createSent({ town, now, answersLate: deps.answersLate })
  const deadlines = createDeadlines({ now, elapsed })
  const speech = createSpeech({ books, deadlines, elapsed, sentTo: sent.announcement })
  const stages = createStages(now, (row) => elapsed() >= deadlines.of(row).lateAfter)
  const presence = createPresence({ speech, deadlines, elapsed })
  const isBox = (serial: string) => town.boxes.some((box) => box.serial === serial)
  const ownership = createOwnership(now, isBox)
  const events = createEvents()
  const webhooks = createWebhookWatch(town.endpoints)
  let file: FileReader | undefined
  /** As last read. */
  let rows: readonly AnnouncementRow[] = []
  let violation: Violation | undefined

  function judge(what: () => void) {
    try {
      what()
    } catch (error) {
      if (!(error instanceof Violation)) throw error
      violation ??= error
    }
  }

  function look() {
    if (!file?.hasChanged()) return
    rows = file.announcements()
    deadlines.look(rows)
    sent.look(file)
    checkMoney(file, books)
    events.check(file)
    stages.check(rows)
    const ofSpeakers = rows.filter(({ serial }) => !isBox(serial))
    speech.check(ofSpeakers, (serial) => file?.device(serial)?.clientId ?? undefined)
    presence.check(ofSpeakers)
    boxes.look(file, rows)
  }

  /** What is no longer news is ended, also for a speaker that is away. */
  function checkSwept() {
    const open = rows.find((row) => !isFinal(row) && elapsed() > deadlines.of(row).endedBy)
    if (open)
      throw new Violation('rest', `${open.amount} to ${open.serial} is past its time, and is ${open.stage}`)
  }

  function unrest(): Unrest | undefined {
    if (!file) return { invariant: 'rest', what: 'the hub is not running' }
    const found =
      findUnrest({ file, rows, books, speech, speakers: speakers() }) ?? boxes.findUnrest(file, rows)
    return found ?? (deps.sendsWebhooks ? webhooks.findUnrest(file) : undefined)
  }

  const boxes = createBoxOracle({
    ...{ minted: town.boxes, boxes: deps.boxes, books, deadlines, elapsed, now, judge, trace, areSeveral },
    ...{ answersLate: deps.answersLate, file: () => file },
  })
  const window = createWindow({
    elapsed,
    isSuppressed: (id) => file?.announcement(id)?.stage === 'suppressed',
  })
  const gate = createGateWatch({
    ...{ elapsed, file: () => file, judge, window },
    sent: sentTo,
    ...{ opened: ownership.opened, acked: ownership.acked },
  })

  function sentTo(from: Sender, frame: Buffer) {
    const { serial, hub } = from
    judge(() => {
      if (!file) return
      const command = (from.isSuperseded ? sent.note : sent.check)(serial, frame, file)
      const { t, n, id } = command
      trace.note(`${areSeveral ? hub.id : 'the hub'} sends ${serial} ${t} ${n} ${id.slice(-6)}`)
      trace.count('frames sent')
      if (areSeveral && t === 'welcome') ownership.welcomed(from)
      if (areSeveral && t === 'announce') ownership.leaves(from, command)
      if (!from.isSuperseded) window.sent(from, command)
    })
  }

  const witness: Witness = {
    begun(serial, n) {
      trace.note(`${serial} writes down ${n} as played`)
      judge(() => speech.begun(serial, n))
    },
    got: ownership.got,
    heard: (serial, announced, lagMs) => judge(() => speech.heard(serial, announced, lagMs)),
    happened(serial, happening) {
      trace.note(`${serial} ${JSON.stringify(happening)}`)
      trace.count(`speakers: ${happening.event}`)
      judge(() => {
        if (happening.event === 'missed') speech.missedShown(serial, happening.amount)
        // At once: it has another key to try (sb/1 2.8).
        if (happening.event === 'refused' && happening.retryInMs !== 0)
          throw new Violation('locked out', `${serial} is refused with every key that it has`)
        if (happening.event === 'ignored' && happening.reason !== 'before_welcome')
          throw new Violation('frames', `${serial} has to ignore a frame of the hub: ${happening.reason}`)
      })
    },
    receiptLost: speech.receiptLost,
    missedConfirmed: speech.missedConfirmed,
    forgotten(serial) {
      trace.note(`${serial} forgets everything`)
      speech.forgotten(serial, file?.announcements() ?? rows)
    },
  }

  return {
    witness,
    boxes: boxes.witness,
    gate,
    attach(name) {
      file = readFile(name)
      deadlines.started(file.announcements())
    },
    detach() {
      file?.close()
      file = undefined
    },
    killed(hub) {
      // Its last commits are judged by the clock of this moment.
      judge(look)
      speech.hubKilled(rows)
      gate.clear(hub)
      boxes.clear(hub)
    },
    disturbed(hub) {
      speech.hubKilled(file?.announcements() ?? rows)
      gate.excuse(hub)
      boxes.excuse(hub)
    },
    committed(hub) {
      judge(() => file && ownership.committed(hub.id, file))
    },
    got: (parcel, isConfirmed) => judge(() => webhooks.got(file, parcel, isConfirmed)),
    clockWasSet(byMs) {
      webhooks.clockWasSet()
      const known = file?.announcements() ?? rows
      deadlines.clockWasSet(byMs, known)
      stages.clockWasSet(byMs)
      events.clockWasSet()
      window.clockWasSet()
      boxes.clockWasSet()
      speech.clockWasSet(known)
    },
    judge,
    check() {
      for (const { serial, canSpeak, wellSince } of speakers())
        if (canSpeak) presence.note(serial, wellSince())
      judge(look)
      judge(window.check)
      gate.check(hubs())
      boxes.check()
      if (violation) throw violation
    },
    rewind() {
      stages.rewind()
      if (file) events.rewind(file)
      sent.rewind()
      rows = file?.announcements() ?? []
      speech.rewind(rows)
      const known = new Set(file?.payments().map(({ amount }) => String(amount)))
      const forgotten = books.entries.filter(({ money }) => !known.has(money.amount))
      for (const entry of forgotten) Object.assign(entry, { answer: undefined, wasTakenForNew: false })
      return forgotten
    },
    checkDay: (days) => judge(() => file && checkDay(days, file, rows)),
    isAtRest: () => unrest() === undefined,
    checkEnd: () =>
      judge(() => {
        checkSwept()
        const found = unrest()
        if (found) throw new Violation(found.invariant, found.what)
      }),
    tally() {
      trace.count('payments', books.entries.length)
      for (const { stage } of rows) trace.count(`announcements: ${stage}`)
    },
    buffer: sent.buffer,
  }
}
