import type { Connection } from '../../../server/mqtt/connection.ts'
import type { Clock } from '../../../server/platform/clock.ts'
import type { Login } from '../../../simulator/boxes/core/firmware.ts'
import { readPackets } from '../../support/mqtt/packets.ts'
import type { Hub } from '../hub/hub.ts'
import type { Departure } from '../hub/socket.ts'
import type { BoxEndWatch } from './oracle/ends.ts'

/** A PUBLISH on its way to a box. */
export interface BoxMessage {
  topic: string
  payload: Buffer
  messageId: number
}

/** The box's end of the connection, behind the network. */
export interface FarBox {
  message(message: BoxMessage, written: Departure): void
  /** The PUBACK to a message of the box has left. */
  confirmed(): void
  /** `reset`: what has not arrived never will. `closed`: it still arrives, before the end. */
  ended(how: 'reset' | 'closed'): void
}

/** The hub's end of one connection of a box: a socket and a broker, as the gate sees them. */
export interface BoxSocket {
  connect(): Promise<'admitted' | 'refused' | 'unavailable'>
  subscribe(topic: string, qos: number): void
  publish(topic: string, payload: string, qos: 0 | 1): void
  confirm(messageId: number): void
  ping(): void
  /** The broker notices that the connection is gone. */
  lost(): void
}

export interface BoxSocketDeps {
  hub: Hub
  clock: Clock
  login: Login
  far: FarBox
  watch: BoxEndWatch
}

export function openBoxSocket({ hub, clock, login, far, watch }: BoxSocketDeps): BoxSocket {
  let connection: Connection | undefined
  let isOpen = true
  let messageId = 0

  function write(packets: Buffer): boolean {
    if (!isOpen || !hub.isAlive()) return true
    const left = { elapsed: clock.elapsed(), now: clock.now() }
    for (const packet of readPackets(packets)) {
      if (packet.cmd === 'puback') far.confirmed()
      else {
        watch.wrote(packet)
        far.message(packet, left)
      }
    }
    return true
  }

  /** A packet of the box has come. */
  function arrives(act: (to: Connection) => void) {
    if (isOpen)
      hub.whenAwake(() => {
        if (isOpen && connection) act(connection)
      })
  }

  function close(how: 'reset' | 'closed') {
    if (!isOpen) return
    if (hub.isAlive()) watch.closedByHub()
    far.ended(how)
    gone()
  }

  /** As Aedes does, the end is reported in a later turn of the event loop. */
  function gone() {
    if (!isOpen) return
    isOpen = false
    watch.gone()
    hub.calls.underWay += 1
    setImmediate(() => {
      hub.calls.underWay -= 1
      if (hub.isAlive()) connection?.closed()
    })
  }

  return {
    async connect() {
      const { clientId, username, password, clean, keepaliveS } = login
      const answer = await hub.core.gate.connectBox(
        {
          ...{ protocolVersion: 4, clientId, username, clean, keepalive: keepaliveS },
          password: Buffer.from(password),
        },
        {
          ...{ address: clientId, write, whenDrained: () => undefined, expect: () => undefined },
          ...{ close: () => close('closed'), reset: () => close('reset') },
        },
      )
      if ('why' in answer) {
        isOpen = false
        watch.gone()
        return answer.returnCode === 3 ? 'unavailable' : 'refused'
      }
      connection = answer
      // It may have ended while its password was checked.
      if (!isOpen) connection.closed()
      return 'admitted'
    },

    subscribe: (topic, qos) =>
      arrives((to) => {
        watch.subscribed(topic)
        to.subscribe({ topic, qos })
      }),

    publish: (topic, payload, qos) =>
      arrives((to) => {
        watch.heard(payload)
        messageId += 1
        void to.publish({
          ...{ topic, qos, retain: false, payload: Buffer.from(payload) },
          ...(qos === 1 ? { messageId } : {}),
        })
      }),

    confirm: (id) =>
      arrives((to) => {
        watch.confirmed(id)
        to.confirmed(id)
      }),

    ping: () => arrives((to) => to.ping()),
    lost: () => hub.whenAwake(gone, gone),
  }
}
