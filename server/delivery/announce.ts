import type { Announcement } from '../announcements/announcement.ts'
import type { Clock } from '../platform/clock.ts'
import type { Ids } from '../platform/ids.ts'
import type { Announcer, Outbox } from './ports.ts'
import { announceCommand, type CommandEnd, missedCommand } from './session/command.ts'
import type { Session } from './session/session-interface.ts'
import type { Sessions } from './sessions.ts'

/** The money news of the devices that are there. */
export interface News extends Announcer {
  /** Speaks what is open and still fresh; called when a device was welcomed. */
  speakOpen(session: Session): Promise<void>
  /** Shows what came too late or failed, if anything did (sb/1 7.10). */
  showMissed(session: Session): Promise<void>
  /** Ends what is no longer fresh; what was sent is judged by `ackedBy`. */
  sweep(ackedBy: number): Promise<void>
}

export function createNews(deps: { outbox: Outbox; sessions: Sessions; clock: Clock; ids: Ids }): News {
  const { outbox, sessions, clock, ids } = deps

  /** `noted`: it was put on record as sent in the commit that has just been answered. */
  function speak(session: Session, announcement: Announcement, noted: boolean) {
    if (session.has(announcement.id)) return
    const onEnd = (end: CommandEnd) => {
      if (end.kind === 'failed' || end.kind === 'unheard')
        sessions.inBackground('ending an announcement', endUnspoken(session, announcement.id, end))
    }
    session.push(announceCommand(announcement, onEnd, noted))
  }

  /** Notes that an announcement was not spoken, unless its ack has said so already, and shows it as missed. */
  async function endUnspoken(
    session: Session,
    announcementId: string,
    end: Extract<CommandEnd, { kind: 'failed' | 'unheard' }>,
  ) {
    const stage = end.kind === 'failed' ? 'failed' : 'expired'
    const reason = end.kind === 'failed' ? end.reason : undefined
    await outbox.recordAck({ announcementId, deviceId: session.deviceId, stage, reason }, clock.now())
    await showMissed(session)
  }

  async function showMissed(session: Session) {
    const missed = await outbox.missed(session.deviceId)
    if (!missed) return
    session.push(
      missedCommand(ids.commandId(), clock.now(), missed, (end) => {
        if (end.kind !== 'done') return
        const stored = outbox.markMissedShown(missed.announcementIds, clock.now())
        sessions.inBackground('storing what was missed', stored)
      }),
    )
  }

  return {
    async speakOpen(session) {
      for (const announcement of await outbox.open(session.deviceId, clock.now()))
        speak(session, announcement, false)
    },

    showMissed,

    isFree: (deviceId) => sessions.born(deviceId)?.isFree() ?? false,

    announce(announcements) {
      for (const announcement of announcements) {
        const session = sessions.born(announcement.deviceId)
        if (session) speak(session, announcement, announcement.stage === 'sent')
      }
    },

    silence(deviceId) {
      sessions.born(deviceId)?.withdraw((command) => command.t === 'announce' || command.t === 'missed')
    },

    async sweep(ackedBy) {
      for (const deviceId of await outbox.expire(clock.now(), ackedBy)) {
        const session = sessions.born(deviceId)
        if (session) await showMissed(session)
      }
    },
  }
}
