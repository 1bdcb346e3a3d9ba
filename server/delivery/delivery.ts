import type { Ack } from '../../protocol/messages/ack.ts'
import type { Birth } from '../../protocol/messages/birth.ts'
import type { DeviceRecords } from '../devices/ports.ts'
import type { Clock } from '../platform/clock.ts'
import type { Ids } from '../platform/ids.ts'
import type { Logger } from '../platform/log.ts'
import type { SettingsRecords } from '../settings/ports.ts'
import { createNews } from './announce.ts'
import { createRemote } from './device-control.ts'
import type { Announcer, DeviceLink, Outbox, Presence, Remote, Screens } from './ports.ts'
import { createScreens } from './screens.ts'
import { welcomeCommand } from './session/command.ts'
import { createSession } from './session/session.ts'
import type { Session, SessionIdentity } from './session/session-interface.ts'
import { createSessions } from './sessions.ts'
import { createSweep } from './sweep.ts'

export interface DeliveryDeps {
  outbox: Outbox
  devices: Pick<DeviceRecords, 'recordBirth'>
  settings: Pick<SettingsRecords, 'catchUp'>
  clock: Clock
  ids: Ids
  log: Logger
}

/** Brings commands to the devices that are there, from the outbox and from what their screens shall show. */
export interface Delivery extends Announcer, Screens, Remote, Presence {
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
  const sessions = createSessions({ clock, log })
  const parts = { outbox, sessions, clock, ids }
  const news = createNews(parts)
  const screens = createScreens(parts)
  const remote = createRemote(parts)
  const sweep = createSweep({ ...parts, news, welcome: (session) => welcome(session), log })

  /**
   * A device is there:
   *  1. note what it says of itself, and bring the record in line with what it has played (sb/1 7.9),
   *  2. welcome it (sb/1 7.1),
   *  3. speak what is still fresh, show what its screen should show, and what it has missed,
   *  4. bring its settings up to date.
   */
  async function birth(session: Session, said: Birth) {
    const { deviceId, serial, sid } = session
    sweep.lookAtClock()
    await deps.devices.recordBirth(deviceId, said, clock.now())
    await outbox.reconcile(deviceId, said.played, clock.now())
    await welcome(session, said.rx)
    const due = await deps.settings.catchUp(deviceId, said.settings)
    if (due) remote.configure(deviceId, due)
    log.info({ serial, sid, fw: said.fw, played: said.played }, 'device born')
  }

  /** Starts a session, or starts it over: steps 2 and 3 of a birth. */
  async function welcome(session: Session, rx?: number) {
    const { deviceId } = session
    const highest = await outbox.highestNumber(deviceId)
    const screen = await outbox.screen(deviceId, clock.now())
    session.begin(rx)
    session.push(welcomeCommand(ids.commandId(), clock.now(), highest, screen.linked))
    // At once, before anything else changes it; what is spoken goes out first all the same.
    await screens.show(session, screen)
    await news.speakOpen(session)
    await news.showMissed(session)
  }

  return {
    ...screens,
    ...news,
    ...remote,
    birth,
    open(identity, keepaliveMs, link) {
      const session = createSession(identity, link, deps)
      sessions.add(session, keepaliveMs)
      return session
    },
    acked(session, ack) {
      if (session.acked(ack) || ack.st !== 'failed') return
      // It failed in an older session and was not sent again in this one: nothing else shows it as missed.
      sessions.inBackground('showing what was missed', news.showMissed(session))
    },
    leave: sessions.remove,
    connectedSerials: sessions.serials,
    isConnected: sessions.isConnected,
    announce(announcements) {
      sweep.lookAtClock()
      news.announce(announcements)
    },
    start: sweep.start,
  }
}
