import { timingSafeEqual } from 'node:crypto'
import { deriveKeys, loginHash } from '../../../protocol/keys.ts'
import type { UpKind } from '../../../protocol/topics.ts'
import type { Delivery } from '../../../server/delivery/delivery.ts'
import type { Session } from '../../../server/delivery/session/session-interface.ts'
import type { DeviceRecords } from '../../../server/devices/ports.ts'
import type { Clock } from '../../../server/platform/clock.ts'

/** The keepalive that the devices say in their CONNECT. */
export const KEEPALIVE_MS = 30_000

export interface Hello {
  serial: string
  sid: string
  login: Buffer
}

/** The device's end of a connection, as the broker holds it. */
export interface Client {
  /** Writes one frame to the socket; what becomes of it there nobody knows. */
  write(frame: Buffer): void
  /** The hub closes the connection. */
  closed(): void
}

/** The hub's end of a connection. */
export interface Connection {
  /** A PUBLISH of the device has come. True when it is stored, and a PUBACK goes out. */
  publish(kind: UpKind, payload: Buffer): Promise<boolean>
  /** The broker has noticed that the connection is gone. */
  lost(): void
}

export interface BrokerDeps {
  devices: Pick<DeviceRecords, 'credentials'>
  delivery: Delivery
  receiveUp: (session: Session, upKey: Buffer, kind: UpKind, payload: Buffer) => Promise<void>
  clock: Clock
  /** Told of every frame that leaves the hub. */
  sent: (serial: string, frame: Buffer) => void
}

/** What the hub's broker does for sb/1, in its order, without sockets: see server/mqtt/aedes.ts. */
export interface LineBroker {
  /** Undefined when the device may not connect (CONNACK 4). */
  connect(hello: Hello, client: Client): Promise<Connection | undefined>
  disconnect(serial: string): void
}

export function createLineBroker(deps: BrokerDeps): LineBroker {
  const { devices, delivery, receiveUp, clock } = deps
  const open = new Map<string, { close: () => void; sayLastWill: () => void }>()

  return {
    async connect({ serial, sid, login }, client) {
      const credentials = await devices.credentials(serial)
      if (!credentials || credentials.revoked) return undefined
      if (!timingSafeEqual(loginHash(login), credentials.loginHash)) return undefined
      const keys = deriveKeys(credentials.key)
      const { deviceId } = credentials
      let isOpen = true
      const link = {
        publish(frame: Buffer) {
          if (!isOpen) return
          deps.sent(serial, frame)
          client.write(frame)
        },
        close: end,
      }
      // A new connection ends the older one of the device before it is announced (sb/1 3.4); its will comes behind.
      const older = open.get(serial)
      older?.close()
      const session = delivery.open({ deviceId, serial, sid, downKey: keys.down }, KEEPALIVE_MS, link)
      const will = Buffer.from(JSON.stringify({ sid, reason: 'lost' }))
      const self = { close: end, sayLastWill: () => void receiveUp(session, keys.up, 'will', will) }
      open.set(serial, self)
      older?.sayLastWill()
      /** The birth while it is being recorded; what comes behind it waits for it. */
      let birth: Promise<unknown> = Promise.resolve()

      function end() {
        if (!isOpen) return
        isOpen = false
        client.closed()
        lost()
      }

      function lost() {
        isOpen = false
        if (open.get(serial) === self) open.delete(serial)
        delivery.leave(session)
      }

      async function receive(kind: UpKind, payload: Buffer): Promise<void> {
        session.lastSeenAt = clock.now()
        if (kind !== 'birth') {
          await birth
          return receiveUp(session, keys.up, kind, payload)
        }
        const recorded = receiveUp(session, keys.up, kind, payload)
        birth = recorded.catch(() => undefined)
        return recorded
      }

      return {
        lost,
        async publish(kind, payload) {
          try {
            await receive(kind, payload)
            return isOpen
          } catch {
            // A breach, or a storage that failed: the broker closes the connection (sb/1 4.1).
            end()
            return false
          }
        },
      }
    },

    disconnect: (serial) => open.get(serial)?.close(),
  }
}
