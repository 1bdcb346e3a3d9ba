import type { Clock } from '../platform/clock.ts'
import { checkBox } from './box-login.ts'
import { type Admitted, type Connection, type ConnectionDeps, DeviceConnection } from './connection.ts'
import { closeEvenly, type Standing } from './hand-over.ts'
import type { Wire } from './link.ts'
import { type Connect, checkConnect, type LoginDeps, type Refused, unavailable } from './login.ts'
import { createTakeovers } from './takeovers.ts'

/** Characters of a client id that a log shows when it is no serial. */
const SHOWN_ID = 64

export interface GateDeps extends ConnectionDeps, LoginDeps {
  metrics: ConnectionDeps['metrics'] & { takeover(): void }
}

export type Gate = ReturnType<typeof createGate>

/** The rules of a device's connection, whatever carries it. */
export function createGate(deps: GateDeps) {
  const { clock, metrics, log } = deps
  const takeovers = createTakeovers(clock)
  /** By serial. */
  const connections = new Map<string, Standing>()
  /** Refuses connections. Another object for each hand-over. */
  let handingOver: object | undefined

  function refuse(client: string, { address }: Wire, refused: Refused): Refused {
    metrics.mqttRefused(`connack_${refused.returnCode}`)
    log.warn({ client: client.slice(0, SHOWN_ID), address, why: refused.why }, 'connect refused')
    return refused
  }

  async function takeOver(serial: string, older: Standing) {
    metrics.takeover()
    if (takeovers.note(serial))
      log.warn({ serial }, 'taken over again and again: do two devices have one identity?')
    older.close()
    await older.gone
  }

  /** Lets a device in. An older connection of it has ended by then (sb/1 3.4). */
  async function enter(
    packet: Connect,
    wire: Wire,
    found: Admitted | Refused,
  ): Promise<Connection | Refused> {
    if ('why' in found) return refuse(packet.clientId, wire, found)
    const { serial } = found.identity
    // No await between the last look and `set`: of two that connect at once, the second ends the first.
    for (let older = connections.get(serial); older; older = connections.get(serial))
      await takeOver(serial, older)
    if (handingOver) return refuse(serial, wire, unavailable('the hub hands its speakers over'))
    const connection = new DeviceConnection(deps, found, wire, () => {
      if (connections.get(serial) === connection) connections.delete(serial)
    })
    connections.set(serial, connection)
    return connection
  }

  return {
    /** Answers the CONNECT of a speaker. */
    connect: async (packet: Connect, wire: Wire) => enter(packet, wire, await checkConnect(deps, packet)),

    /** Answers the CONNECT of a box of another maker. */
    connectBox: async (packet: Connect, wire: Wire) => enter(packet, wire, await checkBox(deps, packet)),

    /** Closes the connection of a device, if it has one. */
    disconnect: (serial: string) => connections.get(serial)?.close(),

    /**
     * Refuses new connections, and closes those that stand evenly over `withinMs`, those with nothing under way first.
     * Resolves when all have ended. By the machine's clock: PostgreSQL, whose time the hub goes by, may be away.
     */
    handOver(withinMs: number, machine: Clock): Promise<void> {
      const mine = {}
      handingOver = mine
      log.info({ speakers: connections.size, withinMs }, 'handing the speakers over')
      return closeEvenly(connections.values(), machine, withinMs, () => handingOver === mine)
    },

    /** Closes no more, and takes new connections. */
    takeAgain() {
      handingOver = undefined
    },
  }
}
