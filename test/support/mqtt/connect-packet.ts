import type { IConnectPacket } from 'mqtt-packet'
import { upTopic } from '../../../protocol/topics.ts'

/** A CONNECT as sb/1 wants it (sb/1 1.2, sb/1 1.3, sb/1 3.2). */
export function connectPacketOf(
  serial: string,
  password: string,
  { sid, keepalive }: { sid: string; keepalive: number },
): IConnectPacket {
  return {
    ...{ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clean: true, keepalive },
    ...{ clientId: serial, username: serial, password: Buffer.from(password) },
    will: {
      topic: upTopic(serial, 'will'),
      payload: Buffer.from(JSON.stringify({ sid, reason: 'lost' })),
      qos: 1,
      retain: false,
    },
  }
}
