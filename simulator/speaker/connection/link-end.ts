import { errorCode } from '../../platform/error-text.ts'
import type { LinkEnd } from '../device/state/events.ts'

/** Describes an error of MQTT.js or of the socket in plain words. */
export function describeEnd(error: unknown, address: string): LinkEnd {
  const code = errorCode(error)
  if (code === 1 || code === 2) return { reason: `the hub refused the CONNECT (CONNACK ${code})`, code }
  if (code === 4 || code === 5) return { reason: `the hub refused the login (CONNACK ${code})`, code }
  if (code === 3) return { reason: 'the hub refused the connection (CONNACK 3)' }
  // A browser does not say why a WebSocket could not be opened.
  if (error instanceof Error && error.message === 'WebSocket error')
    return { reason: `nothing answers at ${address}` }
  switch (code) {
    case 'ECONNREFUSED':
      return { reason: `nothing answers at ${address}` }
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return { reason: `the name in ${address} can't be found` }
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return { reason: `there is no way to ${address}` }
    case 'ECONNRESET':
    case 'EPIPE':
      return { reason: 'the hub closed the connection' }
    default:
      return { reason: error instanceof Error && error.message ? error.message : `no link to ${address}` }
  }
}
