import { execFileSync } from 'node:child_process'

/** What has passed on a connection, in both directions, as its device's kernel has counted it. */
export interface Traffic {
  /** With pure ACKs and the handshake of TCP. */
  segments: number
  /** Inside of the segments: MQTT, and TLS if there is any. */
  payload: number
  /** IPv4 and TCP without options: 40 bytes of headers a segment. */
  ip: number
}

const HEADERS = 40

/** Reads the counters of the connection with this local port. Linux's `ss` shows them. */
export function countersOf(localPort: number): Traffic {
  const text = execFileSync('ss', ['-tinH', `sport = :${localPort}`], { encoding: 'utf8' })
  const read = (name: string) => Number(new RegExp(`\\b${name}:(\\d+)`).exec(text)?.[1] ?? 0)
  const segments = read('segs_out') + read('segs_in')
  if (segments === 0) throw new Error(`ss shows no connection with the local port ${localPort}`)
  return trafficOf(segments, read('bytes_sent') + read('bytes_received'))
}

export function between(before: Traffic, after: Traffic, times = 1): Traffic {
  return trafficOf((after.segments - before.segments) / times, (after.payload - before.payload) / times)
}

function trafficOf(segments: number, payload: number): Traffic {
  return { segments, payload, ip: payload + HEADERS * segments }
}
