import { parsePlain, publishBytes } from '../../../protocol/frame.ts'
import { type AnyCommand, parseCommand } from '../../../protocol/messages/command.ts'
import { toUnixSeconds } from '../../../protocol/messages/fields.ts'
import { downTopic } from '../../../protocol/topics.ts'
import { Violation } from '../kit/violation.ts'
import { indicesOf } from '../shop/payment.ts'
import type { Town } from '../shop/town.ts'
import type { AnnouncementRow, FileReader } from './file.ts'

/** Looks at every frame as it leaves the hub, against what is on record in that moment. */
export interface Sent {
  /** Answers the command in it. */
  check(serial: string, frame: Buffer, file: FileReader): AnyCommand
  /** As `check`, for a session that another one has ended: it need not be right, because no device listens. */
  note(serial: string, frame: Buffer, file: FileReader): AnyCommand
  /** Notes who is registered for what. */
  look(file: FileReader): void
  /** The announcement that was sent to a speaker under a number. */
  announcement(serial: string, n: number): AnnouncementRow | undefined
  /** A speaker tells the size of its buffer. */
  buffer(serial: string, bytes: number): void
  /** The numbers of a history that never was may be given again. */
  rewind(): void
}

/** An act that is answered late is followed up by then, milliseconds of the world's time. */
const FOLLOWED_UP_MS = 10_000

export interface SentDeps {
  town: Town
  now: () => number
  /** Acts are answered some turns after their commits. */
  answersLate: boolean
}

export function createSent({ town, now, answersLate }: SentDeps): Sent {
  const announced = new Map<string, AnnouncementRow>()
  /** One number per command, one command per number (sb/1 6.1). */
  const idOf = new Map<string, string>()
  const numberOf = new Map<string, number>()
  /** Until when a speaker was of a store, by speaker and store: the last look at the file that showed it, and the time. */
  const ofStore = new Map<string, { look: number; at: number }>()
  let looks = 0
  const buffers = new Map<string, number>()
  const shops = new Set(['', ...town.tills.map(({ storeName }) => storeName)])

  /** Its MAC is looked at by the speaker, which ignores nothing. */
  function read(serial: string, frame: Buffer): AnyCommand {
    const opened = parsePlain(frame)
    const parsed = opened.ok ? parseCommand(opened.body) : undefined
    if (parsed?.kind !== 'command')
      throw new Violation('frames', `the hub sends ${serial} what no device understands`)
    const bytes = publishBytes(downTopic(serial), frame)
    if (bytes > (buffers.get(serial) ?? 0))
      throw new Violation('frames', `the hub sends ${serial} ${bytes} bytes, more than its buffer holds`)
    return parsed.command
  }

  function checkNumbers(serial: string, { id, n, at, ttl }: AnyCommand) {
    const slot = `${serial}/${n}`
    if ((idOf.get(slot) ?? id) !== id)
      throw new Violation('frames', `${serial} gets number ${n} for two commands`)
    if ((numberOf.get(id) ?? n) !== n)
      throw new Violation('frames', `${serial} gets one command under two numbers`)
    if (at !== toUnixSeconds(now()) || ttl < 1)
      throw new Violation('frames', `${serial} gets a command of another time, or without any left`)
    idOf.set(slot, id)
    numberOf.set(id, n)
  }

  /**
   * A speaker was locked or released by the same commit that has made this leave, or by one behind it whose answer
   * comes as late. They were of one moment, and nobody was told of the second yet; it may be heard.
   */
  function isOvertaken({ stage, suppressedAt }: AnnouncementRow): boolean {
    return stage === 'suppressed' && suppressedAt !== null && isOfTheMoment(suppressedAt)
  }

  function isOfTheMoment(at: number): boolean {
    return now() - at <= (answersLate ? FOLLOWED_UP_MS : 0)
  }

  /** What leaves is on record as on its way, and is this speaker's own business, in that very moment. */
  function checkAnnouncement(
    serial: string,
    command: Extract<AnyCommand, { t: 'announce' }>,
    file: FileReader,
  ) {
    const { id, n, d } = command
    const row = file.announcement(id)
    const what = `the announcement of ${d.amount} to ${serial}`
    if (!row) throw new Violation('foreign data', `${what} is not on record`)
    if (row.serial !== serial || String(row.amount) !== d.amount)
      throw new Violation('foreign data', `${what} is on record for ${row.amount} to ${row.serial}`)
    announced.set(`${serial}/${n}`, row)
    if (isOvertaken(row)) return
    if (row.stage !== 'sent' && row.stage !== 'received')
      throw new Violation('sent on record', `${what} leaves while it is on record as ${row.stage}`)
    if (row.n !== n) throw new Violation('sent on record', `${what} leaves as ${n}, and is numbered ${row.n}`)
    const device = file.device(serial)
    if (device?.clientId !== row.clientId || !device.stores.split(',').includes(row.storeId))
      throw new Violation('foreign data', `${what} is of a store that the speaker is not registered for`)
    if (!device.active) throw new Violation('foreign data', `${what} leaves although the speaker is locked`)
  }

  /** A notice sums up what is on record as never said, and only what is its present owner's. */
  function checkNotice(
    serial: string,
    { d }: Extract<AnyCommand, { t: 'missed' }>,
    { file, isFirst }: { file: FileReader; isFirst: boolean },
  ) {
    const device = file.device(serial)
    const rows = file.announcements().filter((row) => row.serial === serial)
    const indices = indicesOf(d.amount)
    if (indices.length !== d.count)
      throw new Violation('missed', `${serial} is to show ${d.count} payments of ${d.amount} as missed`)
    for (const index of indices) {
      const row = rows.find(({ amount }) => amount === 2 ** index)
      if (row?.clientId !== device?.clientId)
        throw new Violation('foreign data', `${serial} is to show ${2 ** index} as missed: not its owner's`)
      if (isFirst && row?.missedShownAt !== null)
        throw new Violation('told once', `${serial} is to show ${2 ** index} as missed again`)
      if (row?.stage !== 'expired' && row?.stage !== 'failed')
        throw new Violation('missed', `${serial} is to show ${2 ** index} as missed, which is ${row?.stage}`)
    }
  }

  /**
   * A release, and a bill that leaves, may be of one moment: the screen is cleared right behind it. Until that may go
   * (sb/1 7.2), the bill itself is sent again.
   */
  function checkBill(serial: string, { d }: Extract<AnyCommand, { t: 'qr' }>, file: FileReader) {
    const stores = file.device(serial)?.stores.split(',')
    const till = town.tills.find(({ storeName }) => d.qr.startsWith(`QR ${storeName} `))
    // The hub itself makes the QR of an amount from a keypad.
    const storeId = till?.storeId ?? file.bill(d.bill ?? '')?.storeId
    const before = ofStore.get(`${serial}/${storeId}`)
    const wasJust = before && (before.look === looks || isOfTheMoment(before.at))
    if (storeId === undefined || !(stores?.includes(storeId) || wasJust))
      throw new Violation('foreign data', `${serial} is to show the bill ${d.bill} of another's store`)
  }

  return {
    check(serial, frame, file) {
      const command = read(serial, frame)
      const isFirst = !numberOf.has(command.id)
      checkNumbers(serial, command)
      if (command.t === 'announce') checkAnnouncement(serial, command, file)
      if (command.t === 'missed') checkNotice(serial, command, { file, isFirst })
      if (command.t === 'qr' && isFirst) checkBill(serial, command, file)
      if (command.t === 'profile' && !shops.has(command.d.name))
        throw new Violation('foreign data', `${serial} is to show the shop ${command.d.name}`)
      return command
    },
    note(serial, frame, file) {
      const command = read(serial, frame)
      const row = command.t === 'announce' && file.announcement(command.id)
      if (row) announced.set(`${serial}/${command.n}`, row)
      return command
    },
    look(file) {
      looks += 1
      // The file may not have changed for long before the speaker was released.
      for (const last of ofStore.values()) if (last.look === looks - 1) last.at = now()
      for (const serial of buffers.keys())
        for (const storeId of file.device(serial)?.stores.split(',') ?? [])
          ofStore.set(`${serial}/${storeId}`, { look: looks, at: now() })
    },
    announcement: (serial, n) => announced.get(`${serial}/${n}`),
    buffer: (serial, bytes) => void buffers.set(serial, bytes),
    rewind() {
      idOf.clear()
      numberOf.clear()
    },
  }
}
