import type { Ack } from '../../protocol/messages/ack.ts'
import type { Birth } from '../../protocol/messages/birth.ts'
import type { Announcement } from '../announcements/announcement.ts'
import type { Clock } from '../clock.ts'
import type { DeviceRecords } from '../devices/ports.ts'
import { CODE_SHOWN_WITHIN_MS } from '../devices/verification-code.ts'
import type { Ids } from '../ids.ts'
import type { Logger } from '../log.ts'
import {
  announceCommand,
  type CommandEnd,
  clearCommand,
  codeCommand,
  missedCommand,
  profileCommand,
  qrCommand,
  welcomeCommand,
} from './outgoing.ts'
import type { Announcer, CodeShown, DeviceLink, Outbox, Presence, Screens } from './ports.ts'
import { createSession, type Session, type SessionIdentity } from './session.ts'

/** A device that was silent for this many keepalives counts as gone, even if its link still stands. */
const SILENT_KEEPALIVES = 2.5
/** How often announcements that are no longer fresh are ended. */
const SWEEP_EVERY_MS = 1_000

export interface DeliveryDeps {
  outbox: Outbox
  devices: Pick<DeviceRecords, 'recordBirth'>
  clock: Clock
  ids: Ids
  log: Logger
}

/** Brings commands to the devices that are there, from the outbox and from what their screens shall show. */
export interface Delivery extends Announcer, Screens, Presence {
  /** A device has connected. An older session of it ends. */
  open(identity: SessionIdentity, keepaliveMs: number, link: DeviceLink): Session
  /** A device has said who it is: it is welcomed, and gets what it should show and speak. */
  birth(session: Session, birth: Birth): Promise<void>
  /** Moves a command on, after its ack was stored. */
  acked(session: Session, ack: Ack): void
  /** A device's connection, or its word that it goes, has ended the session. */
  leave(session: Session): void
  connectedSerials(): string[]
  /** Starts the sweep; the returned function stops it. */
  start(): () => void
}

export function createDelivery(deps: DeliveryDeps): Delivery {
  const { outbox, clock, ids, log } = deps
  const bySerial = new Map<string, { session: Session; keepaliveMs: number }>()
  const byDevice = new Map<string, Session>()

  const bornSession = (deviceId: string) => {
    const session = byDevice.get(deviceId)
    return session?.born() ? session : undefined
  }

  /** Runs work that nobody waits for; what goes wrong in it is logged, and comes right at the next birth. */
  function inBackground(what: string, work: Promise<void>) {
    work.catch((error: unknown) => log.error({ err: error }, `${what} failed`))
  }

  function speak(session: Session, announcement: Announcement) {
    if (session.has(announcement.id)) return
    session.push(
      announceCommand(announcement, (end) => {
        if (end.kind === 'failed' || end.kind === 'unheard')
          inBackground('ending an announcement', endUnspoken(session, announcement.id, end))
      }),
    )
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

  async function showScreen(session: Session) {
    const { profile, bill } = await outbox.screen(session.deviceId, clock.now())
    const { screen } = session
    const idle = JSON.stringify(profile)
    if (screen.profile !== idle) session.push(profileCommand(ids.commandId(), clock.now(), profile))
    if (bill) session.push(qrCommand(ids.commandId(), bill, (end) => clearUnshown(session, bill.id, end)))
    else if (screen.bill !== undefined) session.push(clearCommand(ids.commandId(), clock.now(), 'qr'))
    screen.profile = idle
    screen.bill = bill?.id
  }

  /** A QR that could not be shown must not leave another bill's on the screen. */
  function clearUnshown(session: Session, billId: string, end: CommandEnd) {
    if (end.kind !== 'failed' || session.screen.bill !== billId) return
    session.screen.bill = undefined
    session.push(clearCommand(ids.commandId(), clock.now(), 'qr'))
  }

  async function showMissed(session: Session) {
    const missed = await outbox.missed(session.deviceId)
    if (!missed) return
    session.push(
      missedCommand(ids.commandId(), clock.now(), missed, (end) => {
        if (end.kind === 'done')
          inBackground('storing what was missed', outbox.markMissedShown(missed.announcementIds, clock.now()))
      }),
    )
  }

  async function sweep() {
    const deviceIds = await outbox.expire(clock.now())
    for (const deviceId of deviceIds) {
      const session = bornSession(deviceId)
      if (session) await showMissed(session)
    }
  }

  return {
    open(identity, keepaliveMs, link) {
      bySerial.get(identity.serial)?.session.end()
      const session = createSession(identity, link, deps)
      bySerial.set(identity.serial, { session, keepaliveMs })
      byDevice.set(identity.deviceId, session)
      return session
    },

    async birth(session, birth) {
      const { deviceId } = session
      await deps.devices.recordBirth(deviceId, birth, clock.now())
      await outbox.reconcile(deviceId, birth.played, clock.now())
      const [highest, screen] = [
        await outbox.highestNumber(deviceId),
        await outbox.screen(deviceId, clock.now()),
      ]
      Object.assign(session.screen, { bill: undefined, profile: undefined })
      session.begin(birth.rx)
      session.push(welcomeCommand(ids.commandId(), clock.now(), highest, screen.linked))
      for (const announcement of await outbox.open(deviceId, clock.now())) speak(session, announcement)
      await showScreen(session)
      await showMissed(session)
      log.info(
        { serial: session.serial, sid: session.sid, fw: birth.fw, played: birth.played },
        'device born',
      )
    },

    acked: (session, ack) => session.acked(ack),

    leave(session) {
      session.end()
      if (bySerial.get(session.serial)?.session !== session) return
      bySerial.delete(session.serial)
      byDevice.delete(session.deviceId)
    },

    connectedSerials: () => [...bySerial.keys()],

    isConnected(serial) {
      const entry = bySerial.get(serial)
      if (!entry?.session.born()) return false
      return clock.now() - entry.session.lastSeenAt <= SILENT_KEEPALIVES * entry.keepaliveMs
    },

    announce(announcements) {
      for (const announcement of announcements) {
        const session = bornSession(announcement.deviceId)
        if (session) speak(session, announcement)
      }
    },

    silence(deviceId) {
      byDevice.get(deviceId)?.withdraw((command) => command.t === 'announce' || command.t === 'missed')
    },

    refresh(deviceId) {
      const session = bornSession(deviceId)
      if (session) inBackground('refreshing a screen', showScreen(session))
    },

    showCode(deviceId, code, expiresAt) {
      const session = bornSession(deviceId)
      if (!session) return Promise.resolve('offline')
      return new Promise<CodeShown>((resolve) => {
        const id = ids.commandId()
        let settled = false
        const settle = (shown: CodeShown) => {
          if (settled) return
          settled = true
          cancel()
          resolve(shown)
        }
        const cancel = clock.after(CODE_SHOWN_WITHIN_MS, () => {
          settle('not_responding')
          session.withdraw((command) => command.id === id)
          // It may yet appear on a screen that was slow: a code that was never issued must not stay there.
          session.push(clearCommand(ids.commandId(), clock.now(), 'code'))
        })
        session.push(
          codeCommand(id, code, expiresAt, (end) => {
            if (end.kind === 'done') settle('shown')
            else if (end.kind === 'failed') settle('display_failed')
            else settle(session.born() ? 'not_responding' : 'offline')
          }),
        )
      })
    },

    clearCode(deviceId) {
      bornSession(deviceId)?.push(clearCommand(ids.commandId(), clock.now(), 'code'))
    },

    clearBill(deviceIds, billId) {
      for (const deviceId of deviceIds) {
        const session = bornSession(deviceId)
        if (session?.screen.bill !== billId) continue
        session.screen.bill = undefined
        session.push(
          clearCommand(ids.commandId(), clock.now(), 'qr', (end) => {
            // Another bill may still be waiting for its payment.
            if (end.kind === 'done') inBackground('refreshing a screen', showScreen(session))
          }),
        )
      }
    },

    start() {
      let cancel: () => void = () => undefined
      const next = () => {
        cancel = clock.after(SWEEP_EVERY_MS, () => {
          inBackground('the sweep', sweep())
          next()
        })
      }
      next()
      return () => cancel()
    },
  }
}
