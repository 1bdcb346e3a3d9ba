import type { IConnectPacket } from 'mqtt-packet'
import { upTopic } from '../../../topics.ts'
import { explainText } from '../text.ts'

/** Names what is wrong in a CONNECT, by the fact that shows it. The password is explained elsewhere. */
export function explainConnect(
  serial: string,
  packet: IConnectPacket,
  { sid, isUsedBefore }: { sid: string; isUsedBefore: boolean },
): Record<string, string> {
  const { clientId, username, clean = false, keepalive = 0 } = packet
  const user = username === undefined ? '' : String(username)
  const hints: Record<string, string | undefined> = {
    ...version(packet),
    clientId: clientId === serial ? undefined : `${differs(clientId, serial)}: it is the serial (1.2)`,
    username: user === serial ? undefined : `${differs(user, serial)}: it is the serial (1.2)`,
    clean: clean
      ? undefined
      : 'the flag clean session is not set: hub and device keep what is open, not the broker (1.3)',
    keepalive: keepaliveFault(keepalive),
    ...willHints(serial, packet),
    ...(isUsedBefore && packet.will ? { sidUsedBefore: reused(sid) } : {}),
  }
  return Object.fromEntries(
    Object.entries(hints).filter((hint): hint is [string, string] => hint[1] !== undefined),
  )
}

/** A will with an old session id. The birth shows the same mistake. */
export function reused(sid: string): string {
  return `the will has the sid ${sid} of an earlier CONNECT: make a sid and a will for each CONNECT, not once after power on (3.1, 3.2)`
}

/** A CONNECT without a session id. */
export const NO_WILL =
  'the CONNECT has no will with a sid: set one with the sid and "lost", from which the hub learns the sid (3.2)'

function version({ protocolVersion }: IConnectPacket): Record<string, string | undefined> {
  if (protocolVersion === 4) return {}
  const name = protocolVersion === 5 ? 'MQTT 5' : 'MQTT 3.1'
  const says = `the device speaks ${name}: set its MQTT library to 3.1.1, protocol level 4 (1.1)`
  return { protocolVersion: says, protocolId: says }
}

function differs(came: string, wanted: string): string {
  return explainText(came, wanted)?.replace(/: send it as it came$/, '') ?? `it is "${came}"`
}

function keepaliveFault(keepalive: number): string | undefined {
  if (keepalive >= 15 && keepalive <= 120) return undefined
  const what =
    keepalive === 0
      ? 'a keepalive of 0 switches pings off'
      : keepalive >= 15_000
        ? `${keepalive} looks like milliseconds, or like bytes in the wrong order`
        : `${keepalive} s is out of range`
  return `${what}: 15 to 120 s (1.3)`
}

function willHints(serial: string, { will }: IConnectPacket): Record<string, string | undefined> {
  const facts = [
    'sidUsedBefore',
    'sidLikeBefore',
    'will.topic',
    'will.schema',
    'will.reason',
    'will.sid',
    'will.retain',
    'will.qos',
  ]
  if (!will) return Object.fromEntries(facts.map((fact) => [fact, NO_WILL]))
  const right = upTopic(serial, 'will')
  const { reason } = Object(parsed(will.payload))
  return {
    'will.topic': will.topic === right ? undefined : `the will is on ${will.topic}: it is on ${right} (3.2)`,
    'will.retain': will.retain ? 'the will is retained: clear its retain flag (3.2)' : undefined,
    'will.reason':
      reason === 'bye' ? '"bye" is for a clean end: the will of a CONNECT says "lost" (3.2)' : undefined,
  }
}

function parsed(payload: Buffer | string): unknown {
  try {
    return JSON.parse(String(payload))
  } catch {
    return undefined
  }
}
