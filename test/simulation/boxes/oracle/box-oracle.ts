import type { Hub } from '../../hub/hub.ts'
import type { Trace } from '../../kit/trace.ts'
import { Violation } from '../../kit/violation.ts'
import type { Books } from '../../oracle/books.ts'
import type { Deadlines } from '../../oracle/deadlines.ts'
import type { AnnouncementRow, FileReader } from '../../oracle/file.ts'
import { createPresence } from '../../oracle/presence.ts'
import type { Unrest } from '../../oracle/rest.ts'
import { isFinal, isUnshown } from '../../oracle/stages.ts'
import type { BoxWitness, SimulatedBox } from '../box.ts'
import type { BoxMessage } from '../socket.ts'
import type { MintedBox } from '../town-boxes.ts'
import { type BoxEnd, type BoxEndWatch, isToBeClosed, newEnd, RESET_AFTER_MS } from './ends.ts'
import { checkProof } from './proof.ts'
import { amountIn, answerIn, idIn, newTold, type Told } from './told.ts'

/** The reset itself, and a step of the clock that a hub has not noticed yet. */
const GRACE_MS = 2_000
/** The hub's clock was set: so long it may go by the old one, with commits that take longer in hasty worlds. */
const STEP_NOTICED_MS = 12_000
/** An act that is answered late is followed up by then. */
const FOLLOWED_UP_MS = 10_000
/** The longest sentence and the pause behind it, and a reset before. */
const ONE_ANNOUNCEMENT_MS = 25_000

/** Judges what boxes of other makers hear and say, against what each dialect may do. */
export interface BoxOracle {
  readonly witness: BoxWitness
  /** Looks at what was committed. */
  look(file: FileReader, rows: readonly AnnouncementRow[]): void
  /** A hub was killed: none of its connections stands. */
  clear(hub: Hub): void
  /** A hub stands still, goes on, or has lost its storage. */
  excuse(hub: Hub): void
  clockWasSet(): void
  check(): void
  findUnrest(file: FileReader, rows: readonly AnnouncementRow[]): Unrest | undefined
}

export function createBoxOracle(deps: {
  minted: readonly MintedBox[]
  boxes: () => readonly SimulatedBox[]
  books: Books
  deadlines: Deadlines
  elapsed: () => number
  now: () => number
  answersLate: boolean
  areSeveral: boolean
  file: () => FileReader | undefined
  judge: (what: () => void) => void
  trace: Trace
}): BoxOracle {
  const { minted, boxes, deadlines, elapsed, now, areSeveral, file, judge, trace } = deps
  const bySerial = new Map(minted.map((one) => [one.serial, one]))
  const told = new Map<string, Told>()
  /** The amount of each maker's id, by box. */
  const amounts = new Map<string, string>()
  const ends = new Set<BoxEnd>()
  /** When a hub that had stood still went on. */
  const thawedAt = new Map<Hub, number>()
  const keyed = new Set<string>()
  let clockSetAt = Number.NEGATIVE_INFINITY

  const keyOf = (serial: string, amount: string | number) => `${serial}/${amount}`
  const presence = createPresence({
    speech: { wasSaid: ({ serial, amount }) => (told.get(keyOf(serial, amount))?.sounds ?? 0) > 0 },
    ...{ deadlines, elapsed, oneMs: ONE_ANNOUNCEMENT_MS },
  })

  function toldOf(serial: string, amount: string | number): Told {
    const key = keyOf(serial, amount)
    const known = told.get(key) ?? newTold()
    told.set(key, known)
    return known
  }

  function rowOf(serial: string, amount: string): AnnouncementRow | undefined {
    return file()
      ?.announcements()
      .find((row) => row.serial === serial && String(row.amount) === amount)
  }

  const stoodStill = (hub: Hub, since: number) =>
    hub.isFrozen() || (thawedAt.get(hub) ?? Number.NEGATIVE_INFINITY) >= since

  /** A payment leaves a hub. */
  function checkLeaving(end: BoxEnd, amount: string) {
    const { serial } = end
    const what = `the announcement of ${amount} to ${serial}`
    const row = rowOf(serial, amount)
    if (!row) throw new Violation('foreign data', `${what} is not on record`)
    const one = toldOf(serial, amount)
    checkRepeat(end, one, row, what)
    one.ends.add(end)
    if (isOvertaken(row)) return
    if (row.stage !== 'sent' && row.stage !== 'received')
      throw new Violation('sent on record', `${what} leaves while it is on record as ${row.stage}`)
    const device = file()?.device(serial)
    if (device?.clientId !== row.clientId || !device.stores.split(',').includes(row.storeId))
      throw new Violation('foreign data', `${what} is of a store that the box is not registered for`)
    if (!device.active) throw new Violation('foreign data', `${what} leaves although the box is locked`)
    const lateMs = elapsed() - deadlines.of(row).lateAfter
    if (lateMs > (elapsed() - clockSetAt < STEP_NOTICED_MS ? STEP_NOTICED_MS : 0))
      throw new Violation('box: never late', `${what} leaves ${lateMs} ms after its time`)
  }

  /** Once in a connection, and in two at most. In a second one only if the first has not confirmed it. */
  function checkRepeat(end: BoxEnd, one: Told, row: AnnouncementRow, what: string) {
    if (one.ends.has(end)) throw new Violation('box: once', `${what} leaves twice in one connection`)
    if (one.ends.size > 1) throw new Violation('box: once', `${what} leaves in a third connection`)
    const reportsEnd = bySerial.get(end.serial)?.kind === 'alink'
    if (row.stage === 'received' && !reportsEnd)
      throw new Violation('box: once', `${what} leaves again after its PUBACK`)
  }

  /** Locked or released by the same commit, or by one whose answer comes as late. */
  function isOvertaken({ stage, suppressedAt }: AnnouncementRow): boolean {
    const isOfTheMoment =
      suppressedAt !== null && now() - suppressedAt <= (deps.answersLate ? FOLLOWED_UP_MS : 0)
    return stage === 'suppressed' && isOfTheMoment
  }

  function heard(serial: string, amount: string) {
    const one = toldOf(serial, amount)
    one.sounds += 1
    one.soundsSincePower += 1
    trace.count(`boxes: sounds of ${bySerial.get(serial)?.kind}`)
    if (one.sounds > 1) trace.count('boxes: second sounds')
    if (one.sounds > one.ends.size)
      throw new Violation(
        'box: at most once',
        `${serial} says ${amount} ${one.sounds} times, and it has left in ${one.ends.size} connections`,
      )
    if (one.soundsSincePower > 1 && bySerial.get(serial)?.kind !== 'clip-numbers')
      throw new Violation('box: at most once', `${serial} says ${amount} again, and still knows its id`)
  }

  function got(
    serial: string,
    message: BoxMessage,
    { elapsed: leftAt }: { elapsed: number },
    playing: { amount?: string } | undefined,
  ) {
    const amount = amountOf(serial, message)
    if (amount === undefined) return
    const one = told.get(keyOf(serial, amount))
    const end = [...(one?.ends ?? [])].at(-1)
    if (!one || !end || !rowOf(serial, amount))
      throw new Violation('foreign data', `${serial} gets ${amount}, which no hub has sent to it`)
    const heldMs = elapsed() - leftAt
    if (heldMs > RESET_AFTER_MS && !stoodStill(end.hub, leftAt))
      throw new Violation('box: held', `${serial} gets ${amount} ${heldMs} ms after it has left the hub`)
    const before = playing?.amount === undefined ? undefined : told.get(keyOf(serial, playing.amount))
    if (before && playing?.amount !== amount && before.ends.has(end))
      throw new Violation('box: busy', `${serial} gets ${amount} while it says ${playing?.amount}`)
  }

  function amountOf(serial: string, { topic, payload }: BoxMessage): string | undefined {
    const one = bySerial.get(serial)
    return one && amountIn(one, topic, payload)
  }

  const witness: BoxWitness = {
    connects(serial, hub) {
      for (const older of ends) if (older.serial === serial && older.hub === hub) older.isTakenOver = true
      const end = newEnd(serial, hub, elapsed())
      ends.add(end)
      return watchEnd(end)
    },
    got: (serial, message, left, playing) => judge(() => got(serial, message, left, playing)),
    happened(serial, event) {
      trace.note(`${serial} ${JSON.stringify(event)}`)
      trace.count(`boxes: ${event.event}`)
      if (event.event === 'announce' && event.amount !== undefined) {
        const { amount } = event
        judge(() => heard(serial, amount))
      }
      if (event.event === 'keyed') keyed.add(event.amount)
      if (event.event === 'refused')
        judge(() => {
          throw new Violation('locked out', `${serial} is refused with its password`)
        })
    },
    powerLost(serial) {
      trace.note(`${serial} loses its power`)
      for (const [key, one] of told) if (key.startsWith(`${serial}/`)) one.soundsSincePower = 0
    },
  }

  function watchEnd(end: BoxEnd): BoxEndWatch {
    const { serial, hub } = end
    return {
      subscribed() {
        end.isSubscribed = true
      },
      wrote(message) {
        const amount = amountOf(serial, message)
        const id = idIn(message.payload)
        if (amount !== undefined && id !== undefined) amounts.set(keyOf(serial, id), amount)
        end.unconfirmed.set(message.messageId, { at: elapsed(), amount })
        trace.note(`${areSeveral ? hub.id : 'the hub'} sends ${serial} ${amount ?? 'what has no amount'}`)
        trace.count('frames sent to boxes')
        if (amount !== undefined) judge(() => checkLeaving(end, amount))
      },
      confirmed(messageId) {
        const { amount } = end.unconfirmed.get(messageId) ?? {}
        end.unconfirmed.delete(messageId)
        if (amount !== undefined) toldOf(serial, amount).isConfirmed = true
      },
      heard(payload) {
        const answer = answerIn(payload)
        const amount = answer && amounts.get(keyOf(serial, answer.id))
        if (amount === undefined) return
        const one = toldOf(serial, amount)
        one.isAnswered = true
        if (answer?.says === 'played') one.isPlayed = true
        // It ends the announcement also when its PUBACK was lost.
        for (const [messageId, message] of end.unconfirmed)
          if (message.amount === amount) end.unconfirmed.delete(messageId)
      },
      closedByHub: () => judge(() => checkClosing(end)),
      gone() {
        end.isOpen = false
        ends.delete(end)
      },
    }
  }

  /** The hub closes no connection of a box that confirms what it gets, unless what it has not confirmed was withdrawn. */
  function checkClosing(end: BoxEnd) {
    const isWithdrawn = [...end.unconfirmed.values()].some(
      ({ amount }) => amount !== undefined && rowOf(end.serial, amount)?.stage === 'suppressed',
    )
    if (isWithdrawn || isToBeClosed(end, elapsed()) || areSeveral || isWithdrawnUnsent(end)) return
    throw new Violation(
      'no breach',
      `the hub closes the connection of ${end.serial}, which did nothing wrong`,
    )
  }

  /** It was withdrawn in the turn of the event loop at whose end it would have left. */
  function isWithdrawnUnsent(end: BoxEnd): boolean {
    const hasLeft = ({ serial, amount }: AnnouncementRow) => toldOf(serial, amount).ends.has(end)
    const rows = file()
      ?.announcements()
      .filter((row) => row.serial === end.serial && row.sentAt !== null)
    return rows?.some((row) => isOvertaken(row) && !hasLeft(row)) ?? false
  }

  /** An announcement without a PUBACK does not wait longer for it. */
  function checkReset({ serial, hub, unconfirmed }: BoxEnd) {
    for (const { at, amount } of unconfirmed.values()) {
      if (amount === undefined || elapsed() - at <= RESET_AFTER_MS + GRACE_MS || stoodStill(hub, at)) continue
      const row = rowOf(serial, amount)
      if (row && !isFinal(row))
        throw new Violation('box: reset', `${serial} has not confirmed ${amount} for ${elapsed() - at} ms`)
    }
  }

  return {
    witness,
    look(reader, rows) {
      const ofBoxes = rows.filter(({ serial }) => bySerial.has(serial))
      for (const row of ofBoxes) checkProof(row, told.get(keyOf(row.serial, row.amount)))
      presence.check(ofBoxes.filter(({ reason }) => reason !== 'unconfirmed' && reason !== 'over_limit'))
      for (const { what, amount, count } of reader.keyedAmounts())
        if (count > 1 || !keyed.has(String(amount)))
          throw new Violation('box: keypad', `${amount} was keyed in once, and has ${count} ${what}`)
    },
    clear(hub) {
      for (const end of ends) if (end.hub === hub) ends.delete(end)
    },
    excuse(hub) {
      // Without its storage a hub still ends connections in time.
      if (hub.isFrozen()) thawedAt.set(hub, elapsed())
    },
    clockWasSet() {
      clockSetAt = elapsed()
    },
    check() {
      for (const box of boxes()) presence.note(box.serial, box.wellSince())
      for (const end of ends) judge(() => checkReset(end))
    },
    findUnrest(reader, rows) {
      const present = boxes()
      const ofPresent = rows.filter(({ serial }) => present.some((box) => box.serial === serial))
      const open = ofPresent.find((row) => !isFinal(row))
      if (open) return { invariant: 'rest', what: `${nameOf(open)} is still on its way: ${open.stage}` }
      const unshown = ofPresent.find((row) => isUnshown(row) && reader.device(row.serial)?.clientId)
      if (unshown) return { invariant: 'missed', what: `${nameOf(unshown)} was never marked as missed` }
      const busy = present.find((box) => box.wellSince() === undefined || box.state()?.playing)
      return busy && { invariant: 'rest', what: `${busy.serial} is not there, or has still something to say` }
    },
  }
}

function nameOf({ amount, serial }: AnnouncementRow): string {
  return `the announcement of ${amount} to ${serial}`
}
