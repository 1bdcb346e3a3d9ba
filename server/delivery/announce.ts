import type { Announcement } from '../announcements/announcement.ts'
import type { Announcer } from '../announcements/ports.ts'
import { createClaims } from './claims.ts'
import { type CommandEnd, createCommand } from './session/command.ts'
import type { Session } from './session/ports.ts'
import type { Parts } from './sessions.ts'

/** Sends announcements and missed payments to connected devices. */
export interface Announce extends Announcer {
  /** Sends the announcements that are open and fresh, after a device was welcomed. */
  sendOpen(session: Session): Promise<void>
  /** Shows payments that came too late or failed, if there are any (sb/1 7.10). */
  showMissed(session: Session): Promise<void>
  /** Drops what waits for a device that was locked or released. */
  silence(deviceId: string): void
  /** Expires what is no longer fresh. Sent announcements are judged by `ackedBy`. */
  sweep(ackedBy: number): Promise<void>
}

export function createAnnounce(deps: Parts): Announce {
  const { outbox, sessions, clock } = deps
  const claims = createClaims((deviceId) => sessions.born(deviceId)?.isIdle() ?? false)

  function send(session: Session, announcement: Announcement, alreadySent: boolean) {
    if (session.has(announcement.id)) return
    const onEnd = (end: CommandEnd) => {
      if (end.kind === 'failed' || end.kind === 'unheard')
        sessions.inBackground('ending an announcement', endUnspoken(session, announcement, end))
    }
    const { id, n: commandNumber, amount, paidBill, lang, expiresAt } = announcement
    const body = { kind: 'announce', amount, lang, paidBill } as const
    session.push(createCommand(deps, body, { id, commandNumber, alreadySent, expiresAt, onEnd }))
  }

  /** Stores that an announcement was not spoken, unless its ack was stored before, and shows it as missed. */
  async function endUnspoken(
    session: Session,
    { id: announcementId, n: commandNumber, deviceId }: Announcement,
    end: Extract<CommandEnd, { kind: 'failed' | 'unheard' }>,
  ) {
    const stage = end.kind === 'failed' ? 'failed' : 'expired'
    const reason = end.kind === 'failed' ? end.reason : undefined
    await outbox.recordAck({ announcementId, commandNumber, deviceId, stage, reason }, clock.now())
    await showMissed(session)
  }

  async function showMissed(session: Session) {
    const missed = await outbox.missed(session.deviceId)
    if (!missed) return
    const { count, amount, announcementIds } = missed
    const onEnd = (end: CommandEnd) => {
      if (end.kind !== 'done') return
      const stored = outbox.markMissedShown(announcementIds, clock.now())
      sessions.inBackground('storing shown missed payments', stored)
    }
    session.push(createCommand(deps, { kind: 'missed', count, amount }, { onEnd }))
  }

  return {
    claim: claims.claim,

    announce(announcements, storeKey) {
      claims.remember(
        storeKey,
        announcements.map(({ deviceId }) => deviceId),
      )
      for (const announcement of announcements) {
        const session = sessions.born(announcement.deviceId)
        if (session) send(session, announcement, announcement.stage === 'sent')
      }
    },

    async sendOpen(session) {
      for (const announcement of await outbox.open(session.deviceId, clock.now()))
        send(session, announcement, false)
    },

    showMissed,

    silence(deviceId) {
      sessions.born(deviceId)?.withdraw(({ body }) => body.kind === 'announce' || body.kind === 'missed')
    },

    async sweep(ackedBy) {
      for (const deviceId of await outbox.expire(clock.now(), ackedBy)) {
        const session = sessions.born(deviceId)
        if (session) await showMissed(session)
      }
    },
  }
}
