import type { BoxSessions, ConnectRequest, Dialect } from '../delivery/dialect.ts'
import type { DeviceCredentials } from '../devices/device.ts'
import type { DeviceRecords } from '../devices/ports.ts'
import type { Clock } from '../platform/clock.ts'
import { isUnavailable } from '../platform/errors.ts'
import type { Ids } from '../platform/ids.ts'
import type { Logger } from '../platform/log.ts'
import { checkBox } from './box-login.ts'
import { type Admitted, type Connection, type ConnectionDeps, DeviceConnection } from './connection.ts'
import { closeEvenly, type Standing } from './hand-over.ts'
import type { Wire } from './link.ts'
import { createTakeovers } from './takeovers.ts'

/** MQTT 3.1.1, 3.2.2.3 (sb/1 1.5). */
export const CONNACK = { identifierRejected: 2, unavailable: 3, badCredentials: 4 } as const

/** Whatever a dialect admits: Aedes would look for an older session in a persistence that keeps none, and end the process. */
const NO_SESSIONS = 'not a clean session, and the broker keeps none'

/** Characters of a client id that a log shows when it is no serial. */
const SHOWN_ID = 64

/** A CONNECT that is refused, with the return code of its CONNACK. */
export interface Refused {
  returnCode: number
  why: string
}

/** The fields of a CONNECT that the gate checks. */
export interface Connect extends ConnectRequest {
  password?: Buffer | undefined
}

export interface GateDeps extends ConnectionDeps {
  devices: Pick<DeviceRecords, 'credentials' | 'boxLogin'>
  dialect: Dialect
  /** Of boxes of other makers. */
  boxes: BoxSessions
  ids: Pick<Ids, 'commandId'>
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

export const rejected = (why: string): Refused => ({ returnCode: CONNACK.identifierRejected, why })
export const unavailable = (why: string): Refused => ({ returnCode: CONNACK.unavailable, why })

/** The device of a CONNECT and the key that fits its password, or why it is refused. */
async function checkConnect(
  { devices, dialect, clock, log }: GateDeps,
  packet: Connect,
): Promise<Admitted | Refused> {
  const admission = dialect.admit(packet)
  if ('refused' in admission) return rejected(admission.refused)
  if (packet.clean !== true) return rejected(NO_SESSIONS)
  await clock.fresh?.()
  const credentials = await devices.credentials(admission.serial).catch(unreadable(log))
  if (credentials === 'unavailable') return unavailable('the hub is unavailable')
  // Unknown, revoked and wrong are answered alike (sb/1 2.4).
  const used = credentials && !credentials.revoked && keyOf(dialect, credentials, packet.password)
  if (!credentials || !used)
    return { returnCode: CONNACK.badCredentials, why: 'unknown serial or wrong password' }
  return {
    identity: { ...admission, deviceId: credentials.deviceId, login: used.loginHash.toString('hex') },
    codec: dialect.codec(admission, used.key),
    rules: dialect.rules,
    maySubscribe: dialect.maySubscribe,
  }
}

/** Credentials can't be read now. The sweep says why, once. */
export function unreadable(log: Logger) {
  return (error: unknown) => {
    if (!isUnavailable(error)) log.error({ err: error }, 'credentials can not be read')
    return 'unavailable' as const
  }
}

/** The device's key that fits the password: the one in force, or its next one (sb/1 2.9). */
function keyOf(
  dialect: Dialect,
  credentials: DeviceCredentials,
  password: Buffer | undefined,
): DeviceCredentials['next'] {
  const keys: DeviceCredentials['next'][] = [credentials, credentials.next]
  return keys.find((one) => one && dialect.verify(password, one.loginHash))
}
