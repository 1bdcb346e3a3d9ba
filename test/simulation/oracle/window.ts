import type { AnyCommand } from '../../../protocol/messages/command.ts'
import { Violation } from '../kit/violation.ts'

/** sb/1 7.3: first sent again after this time. */
const RESENT_AFTER_MS = 3_000
/** A commit delays a resend by less than this. */
const GRACE_MS = 2_000
/**
 * The hub notices within this time that its clock was set. It then drops what it has sent and welcomes the device again,
 * after commits that take longer in hasty worlds.
 */
const STEP_NOTICED_MS = 2_000
const WELCOMED_AGAIN_MS = 10_000
/** sb/1 7.3: a command without an answer holds up the others for 15 s. In a hasty world it may leave a moment after that began. */
const YIELDS_AFTER_MS = 14_500

/** One end of a connection. */
interface End {
  serial: string
}

/** What is on its way on each connection: one command at a time, sent again until it is answered. */
export interface Window {
  /** A frame leaves the hub. */
  sent(end: End, command: AnyCommand): void
  /** An ack has reached the hub. */
  answered(end: End, commandId: string): void
  /** The session is over. */
  ended(end: End): void
  /** The hub stands still, or has no storage: nothing more is asked of what is under way. */
  excuse(end: End): void
  /** The hub was killed. */
  clear(): void
  /** The hub's clock was set: every session begins anew. */
  clockWasSet(): void
  check(): void
}

interface UnderWay {
  t: AnyCommand['t']
  firstAt: number
  /** By `elapsed`, as its first frame said it. */
  goodUntil: number
  sendings: number
  /** It was answered, or may have been dropped: nothing more is asked of it. */
  isOver: boolean
}

/** A command that is answered before this session sends it. */
const ANSWERED = { t: 'announce', goodUntil: 0, sendings: 0, isOver: true } as const

export function createWindow(deps: {
  elapsed: () => number
  /** By what is on record in this moment. */
  isSuppressed: (announcementId: string) => boolean
}): Window {
  const { elapsed, isSuppressed } = deps
  const sessions = new Map<End, Map<string, UnderWay>>()
  let clockSetAt = Number.NEGATIVE_INFINITY

  /** The hub may have dropped it: it is out of time, or it was withdrawn. */
  function mayBeDropped({ t, goodUntil }: UnderWay): boolean {
    // A code is withdrawn when nobody confirms it in time, a notice when the speaker is locked or released.
    return t === 'code' || t === 'missed' || elapsed() + 1_000 >= goodUntil
  }

  function checkAlone(serial: string, command: AnyCommand, underWay: Map<string, UnderWay>) {
    for (const [id, other] of underWay) {
      if (other.t === 'announce' && isSuppressed(id)) continue
      if (other.isOver || mayBeDropped(other)) continue
      if (elapsed() - other.firstAt < YIELDS_AFTER_MS)
        throw new Violation(
          'one in flight',
          `${serial} gets ${command.t} while ${other.t} ${id.slice(-6)} is without an answer`,
        )
    }
  }

  return {
    sent(end, command) {
      const { t, id, ttl } = command
      let underWay = sessions.get(end) ?? new Map<string, UnderWay>()
      const known = underWay.get(id)
      if (known) {
        known.sendings += 1
        return
      }
      // A new welcome begins the session anew.
      if (t === 'welcome') underWay = new Map()
      sessions.set(end, underWay)
      try {
        checkAlone(end.serial, command, underWay)
      } finally {
        underWay.set(id, {
          t,
          firstAt: elapsed(),
          goodUntil: elapsed() + ttl * 1_000,
          sendings: 1,
          isOver: false,
        })
      }
    },
    answered(end, commandId) {
      const underWay = sessions.get(end)
      const one = underWay?.get(commandId)
      if (one) one.isOver = true
      // The hub begins to store an ack, sends the command again, and then counts that ack.
      else underWay?.set(commandId, { ...ANSWERED, firstAt: elapsed() })
    },
    ended: (end) => void sessions.delete(end),
    excuse(end) {
      for (const one of sessions.get(end)?.values() ?? []) one.isOver = true
    },
    clear: () => sessions.clear(),
    clockWasSet() {
      sessions.clear()
      clockSetAt = elapsed()
    },
    check() {
      for (const [{ serial }, underWay] of sessions)
        for (const [id, one] of underWay) {
          const graceMs = one.firstAt - clockSetAt < STEP_NOTICED_MS ? WELCOMED_AGAIN_MS : GRACE_MS
          if (one.isOver || one.sendings > 1 || elapsed() - one.firstAt < RESENT_AFTER_MS + graceMs) continue
          if (!mayBeDropped(one) && !(one.t === 'announce' && isSuppressed(id)))
            throw new Violation(
              'resend',
              `${serial} has not answered ${one.t} ${id.slice(-6)}: it is not sent again`,
            )
          one.isOver = true
        }
    },
  }
}
