import { UP_QOS, type UpKind } from '../../../protocol/topics.ts'
import { BIRTH_TIMEOUT_MS } from '../../../server/mqtt/connection.ts'
import { DRAIN_TIMEOUT_MS } from '../../../server/mqtt/link.ts'
import type { DownPacket } from '../../support/mqtt/packets.ts'
import type { Hub } from '../hub/hub.ts'
import { KEEPALIVE_S } from '../hub/socket.ts'
import { Violation } from '../kit/violation.ts'
import { type AckStep, type End, newEnd, type Sender, stepOf } from './end.ts'
import type { FileReader } from './file.ts'
import { hasReached } from './stages.ts'
import type { Window } from './window.ts'

/** A hub that has failed to store something closes the connections that it concerns within this time. */
const FAILED_MS = 10_000
/** sb/1 8.2. */
const SILENT_AFTER_MS = 2.5 * KEEPALIVE_S * 1_000

/** Watches the hub's end of every connection, and holds the gate to its rules. */
export interface GateWatch {
  /** A connection begins with its CONNECT. */
  open(of: Pick<Sender, 'serial' | 'sid' | 'hub'>, isImpostor: boolean): EndWatch
  /** Somebody without the right password, or with a CONNECT that is not allowed, was admitted. */
  admitsImpostor(serial: string): void
  /** The hub was killed: none of its connections stands. */
  clear(hub: Hub): void
  /** The hub stands still, goes on, or has lost its storage. */
  excuse(hub: Hub): void
  /** Looks at all connections. */
  check(hubs: readonly Hub[]): void
}

/** What happens at the hub's end of one connection. */
export interface EndWatch {
  admitted(): void
  subscribed(): void
  pinged(): void
  /** A PUBLISH arrives. The answer is to be called when the gate says that it is stored. */
  heard(kind: UpKind, payload: Uint8Array, messageId: number): () => void
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

export function createGateWatch(deps: {
  elapsed: () => number
  file: () => FileReader | undefined
  judge: (what: () => void) => void
  /** A frame leaves the hub. */
  sent: (from: Sender, frame: Buffer) => void
  /** A session may be born. */
  opened: (end: Sender) => void
  /** A device reports a stage. */
  acked: (step: AckStep) => void
  window: Window
}): GateWatch {
  const { elapsed, file, judge, sent, opened, acked, window } = deps
  const ends = new Set<End>()
  /** All that ever had a connection. */
  const serials = new Set<string>()
  /** A newer connection of the same device is being made. */
  const isTakenOver = (end: End) =>
    end.isSuperseded ||
    end.isTakenOver ||
    [...ends].some(
      (other) => other !== end && other.hub === end.hub && other.serial === end.serial && !other.isImpostor,
    )

  const endsOf = (hub: Hub) => [...ends].filter((end) => end.hub === hub)

  /** Of several hubs: the older session ends with the birth of the new one. */
  function supersede(born: End) {
    for (const end of ends) {
      if (end.serial !== born.serial || end.hub === born.hub) continue
      end.isSuperseded = true
      window.ended(end)
    }
    born.isSuperseded = false
  }

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

  /** So long ago its birth should have come; below 0 while it still may, and when it has. */
  const overdueMs = ({ isBirthHeard, admittedAt }: End) =>
    isBirthHeard ? Number.NEGATIVE_INFINITY : elapsed() - admittedAt - BIRTH_TIMEOUT_MS

  function checkUnborn(end: End) {
    if (end.state === 'open' && !end.isGone && overdueMs(end) > 0)
      throw new Violation('birth in time', `${end.serial} is connected, and its birth is overdue`)
  }

  function checkPresence(serial: string, hub: Hub) {
    const isConnected = hub.core.delivery.isConnected(serial)
    const open = [...ends].filter((end) => end.hub === hub && end.serial === serial && end.state === 'open')
    if (open.length > 1) throw new Violation('takeover', `${serial} has ${open.length} connections`)
    const [end] = open
    const isHeard = end !== undefined && elapsed() - end.lastHeardAt <= SILENT_AFTER_MS
    if (isConnected && !(isHeard && end.isBirthHeard))
      throw new Violation(
        'presence',
        `${serial} is called connected: ${end ? 'it is silent or unborn' : 'it has no connection'}`,
      )
    if (!isConnected && isHeard && end.isBorn && !end.isSuperseded)
      throw new Violation('presence', `${serial} is born and heard, and is not called connected`)
  }

  return {
    open(of, isImpostor) {
      const end = newEnd(of, isImpostor, elapsed())
      if (!isImpostor)
        for (const older of endsOf(end.hub)) if (older.serial === end.serial) older.isTakenOver = true
      ends.add(end)
      serials.add(end.serial)
      opened(end)
      return watchEnd(end)
    },
    admitsImpostor: (serial) => violate('login', `${serial} is admitted with a wrong CONNECT`),
    clear(hub) {
      for (const end of endsOf(hub)) {
        ends.delete(end)
        window.ended(end)
      }
    },
    excuse(hub) {
      for (const end of endsOf(hub)) window.excuse(end)
    },
    check(hubs) {
      for (const hub of hubs) {
        if (hub.isFrozen()) continue
        for (const end of endsOf(hub)) for (const check of [checkSlow, checkUnborn]) judge(() => check(end))
        for (const serial of serials) judge(() => checkPresence(serial, hub))
      }
    },
  }

  function watchEnd(end: End): EndWatch {
    return {
      admitted() {
        if (end.state === 'connecting') end.state = 'open'
        end.admittedAt = elapsed()
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
          window.ended(end)
          supersede(end)
        }
        const step = kind === 'ack' ? stepOf(payload) : undefined
        if (step) {
          window.answered(end, step.id)
          acked(step)
        }
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
        sent(end, packet.payload)
        // Its next birth is taken in behind this one, and has its own welcome.
        if (end.isBornAgain) window.ended(end)
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
        const hasFailed = elapsed() - end.hub.cable.failedAt() < FAILED_MS
        const isExcused = end.mayBeClosed || isSlow || overdueMs(end) >= 0
        if (isExcused || hasFailed || isTakenOver(end)) return
        violate('no breach', `the hub closes the connection of ${end.serial}, which did nothing wrong`)
      },
      gone() {
        end.isGone = true
        window.ended(end)
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
