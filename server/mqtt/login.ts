import type { BoxSessions, ConnectRequest, Dialect } from '../delivery/dialect.ts'
import type { DeviceCredentials } from '../devices/device.ts'
import type { DeviceRecords } from '../devices/ports.ts'
import type { Clock } from '../platform/clock.ts'
import { isUnavailable } from '../platform/errors.ts'
import type { Ids } from '../platform/ids.ts'
import type { Logger } from '../platform/log.ts'
import type { Admitted } from './connection.ts'

/** MQTT 3.1.1, 3.2.2.3 (sb/1 1.5). */
export const CONNACK = { identifierRejected: 2, unavailable: 3, badCredentials: 4 } as const

/** Whatever a dialect admits: Aedes would look for an older session in a persistence that keeps none, and end the process. */
const NO_SESSIONS = 'not a clean session, and the broker keeps none'

/** A CONNECT that is refused, with the return code of its CONNACK. */
export interface Refused {
  returnCode: number
  why: string
}

/** The fields of a CONNECT that the gate checks. */
export interface Connect extends ConnectRequest {
  password?: Buffer | undefined
}

export interface LoginDeps {
  devices: Pick<DeviceRecords, 'credentials' | 'boxLogin'>
  dialect: Dialect
  /** Of boxes of other makers. */
  boxes: BoxSessions
  ids: Pick<Ids, 'commandId'>
  clock: Clock
  log: Logger
}

export const rejected = (why: string): Refused => ({ returnCode: CONNACK.identifierRejected, why })
export const unavailable = (why: string): Refused => ({ returnCode: CONNACK.unavailable, why })

/** The device of a CONNECT and the key that fits its password, or why it is refused. */
export async function checkConnect(
  { devices, dialect, clock, log }: LoginDeps,
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
