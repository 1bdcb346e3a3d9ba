import { parsePlain } from '../../../protocol/frame.ts'
import { ack as ackSchema } from '../../../protocol/messages/ack.ts'
import { UP_QOS, type UpKind } from '../../../protocol/topics.ts'
import { DRAIN_TIMEOUT_MS } from '../../../server/mqtt/link.ts'
import type { DownPacket } from '../../support/mqtt/packets.ts'
import { KEEPALIVE_S } from '../hub/socket.ts'
import { Violation } from '../kit/violation.ts'
import type { FileReader } from './file.ts'
import { hasReached } from './stages.ts'
import type { Window } from './window.ts'

/** sb/1 8.2. */
const SILENT_AFTER_MS = 2.5 * KEEPALIVE_S * 1_000

/** Watches the hub's end of every connection, and holds the gate to its rules. */
export interface GateWatch {
  /** A connection begins with its CONNECT. */
  open(serial: string, isImpostor: boolean): EndWatch
  /** Somebody without the right password, or with a CONNECT that is not allowed, was admitted. */
  admitsImpostor(serial: string): void
  /** The hub was killed: no connection stands. */
  clear(): void
  /** Looks at all connections. */
  check(isConnected: (serial: string) => boolean): void
}

/** What happens at the hub's end of one connection. */
export interface EndWatch {
  admitted(): void
  subscribed(): void
  pinged(): void
  /** A PUBLISH arrives. The answer is to be called when the gate says that it is stored. */
  heard(kind: UpKind, payload: Buffer, messageId: number): () => void
  wrote(packet: DownPacket): void
  stalled(): void
  heldBack(): void
  resumed(): void
  closedByHub(): void
  /** Nothing passes any more. In a hasty world its end is reported some time later. */
  gone(): void
  closed(): void
  /** The device breaks the protocol on purpose, or its packets were lost on the way: the hub may close it. */
  mayBeClosed(): void
  /** The gate took a packet that breaks the protocol, or let its connection stand. */
  allowsBreach(topic: string): void
}

interface End {
  serial: string
  isImpostor: boolean
  state: 'connecting' | 'open' | 'closed'
  isSubscribed: boolean
  isBirthHeard: boolean
  isBorn: boolean
  birthsUnderWay: number
  /** A birth was heard while another one was taken in. */
  isBornAgain: boolean
  lastHeardAt: number
  /** Packets that must be confirmed, oldest first; the steps that they report. */
  unconfirmed: { messageId: number; step: AckStep | undefined }[]
  stalledAt: number | undefined
  heldSince: number | undefined
  mayBeClosed: boolean
}

interface AckStep {
  id: string
  n: number
  st: string
}

export function createGateWatch(deps: {
  elapsed: () => number
  file: () => FileReader | undefined
  judge: (what: () => void) => void
  /** A frame leaves the hub. */
  sent: (serial: string, frame: Buffer) => void
  window: Window
}): GateWatch {
  const { elapsed, file, judge, sent, window } = deps
  const ends = new Set<End>()
  /** All that ever had a connection. */
  const serials = new Set<string>()
  /** A newer connection of the same device is being made. */
  const isTakenOver = (end: End) =>
    [...ends].some((other) => other !== end && other.serial === end.serial && !other.isImpostor)

  function violate(invariant: string, what: string) {
    judge(() => {
      throw new Violation(invariant, what)
    })
  }

  /**
   * The PUBACK to an ack means that its stage is stored (sb/1 7.4). The hub ignores an ack under another number: after a
   * restore the announcement may have a new one.
   */
  function checkStored({ id, n, st }: AckStep, serial: string) {
    const row = file()?.announcement(id)
    if (row && row.serial === serial && row.n === n && !hasReached(row, st))
      throw new Violation(
        'pubacks',
        `${serial} gets a PUBACK for ${st} of ${id}, which is on record as ${row.stage}`,
      )
  }

  function checkConfirmed(end: End, messageId: number) {
    const first = end.unconfirmed.shift()
    if (first?.messageId !== messageId)
      throw new Violation(
        'pubacks',
        `${end.serial} gets a PUBACK for ${messageId} before that for ${first?.messageId}`,
      )
    if (first.step) checkStored(first.step, end.serial)
  }

  function checkSlow({ serial, heldSince }: End) {
    if (heldSince !== undefined && elapsed() - heldSince > DRAIN_TIMEOUT_MS)
      throw new Violation(
        'slow reader',
        `${serial} has read nothing for ${elapsed() - heldSince} ms, and is connected`,
      )
  }

  function checkPresence(serial: string, isConnected: boolean) {
    const open = [...ends].filter((end) => end.serial === serial && end.state === 'open')
    if (open.length > 1) throw new Violation('takeover', `${serial} has ${open.length} connections`)
    const [end] = open
    const isHeard = end !== undefined && elapsed() - end.lastHeardAt <= SILENT_AFTER_MS
    if (isConnected && !(isHeard && end.isBirthHeard))
      throw new Violation(
        'presence',
        `${serial} is called connected: ${end ? 'it is silent or unborn' : 'it has no connection'}`,
      )
    if (!isConnected && isHeard && end.isBorn)
      throw new Violation('presence', `${serial} is born and heard, and is not called connected`)
  }

  return {
    open(serial, isImpostor) {
      const end: End = {
        ...{
          serial,
          isImpostor,
          state: 'connecting',
          isSubscribed: false,
          isBirthHeard: false,
          isBorn: false,
          birthsUnderWay: 0,
          isBornAgain: false,
        },
        ...{
          lastHeardAt: elapsed(),
          unconfirmed: [],
          stalledAt: undefined,
          heldSince: undefined,
          mayBeClosed: false,
        },
      }
      ends.add(end)
      serials.add(serial)
      return watchEnd(end)
    },
    admitsImpostor: (serial) => violate('login', `${serial} is admitted with a wrong CONNECT`),
    clear() {
      ends.clear()
      window.clear()
    },
    check(isConnected) {
      for (const end of ends) judge(() => checkSlow(end))
      for (const serial of serials) judge(() => checkPresence(serial, isConnected(serial)))
    },
  }

  function watchEnd(end: End): EndWatch {
    return {
      admitted() {
        if (end.state === 'connecting') end.state = 'open'
        end.lastHeardAt = elapsed()
      },
      subscribed() {
        end.isSubscribed = true
      },
      pinged() {
        end.lastHeardAt = elapsed()
      },
      heard(kind, payload, messageId) {
        end.lastHeardAt = elapsed()
        if (kind === 'birth') {
          end.isBirthHeard = true
          end.birthsUnderWay += 1
          end.isBornAgain = end.birthsUnderWay > 1
          // From here on the hub sends nothing of before again: a welcome follows.
          window.ended(end.serial)
        }
        const step = kind === 'ack' ? stepOf(payload) : undefined
        if (step) window.answered(end.serial, step.id)
        if (UP_QOS[kind] === 1) end.unconfirmed.push({ messageId, step })
        return () => {
          if (kind === 'birth' && !end.isSubscribed)
            violate('birth first', `${end.serial} is born before its subscription`)
          if (kind !== 'birth') return
          end.isBorn = true
          end.birthsUnderWay -= 1
          if (end.birthsUnderWay === 0) end.isBornAgain = false
        }
      },
      wrote(packet) {
        if (packet.cmd === 'puback') return judge(() => checkConfirmed(end, packet.messageId))
        sent(end.serial, packet.payload)
        // Its next birth is taken in behind this one, and has its own welcome.
        if (end.isBornAgain) window.ended(end.serial)
        if (!end.isBirthHeard) violate('birth first', `${end.serial} gets a command before its birth`)
      },
      stalled() {
        end.stalledAt ??= elapsed()
      },
      heldBack() {
        end.heldSince ??= elapsed()
      },
      resumed() {
        end.stalledAt = undefined
        end.heldSince = undefined
      },
      closedByHub() {
        const isSlow = end.heldSince !== undefined && elapsed() - end.heldSince >= DRAIN_TIMEOUT_MS
        if (end.mayBeClosed || isSlow || isTakenOver(end)) return
        violate('no breach', `the hub closes the connection of ${end.serial}, which did nothing wrong`)
      },
      gone() {
        // The connections of a hub that was killed are gone from `ends`: the device may have a session with the next hub.
        if (ends.has(end) && end.state === 'open') window.ended(end.serial)
      },
      closed() {
        ends.delete(end)
        end.state = 'closed'
      },
      allowsBreach: (topic) =>
        violate('breach', `${end.serial} may publish to ${topic} what breaks the protocol`),
      mayBeClosed() {
        end.mayBeClosed = true
      },
    }
  }
}

function stepOf(payload: Buffer): AckStep | undefined {
  const opened = parsePlain(payload)
  const parsed = ackSchema.safeParse(opened.ok ? opened.body : undefined)
  if (!parsed.success) return undefined
  const { id, n, st } = parsed.data
  return { id, n, st }
}
