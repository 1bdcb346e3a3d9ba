import type { Packet } from 'mqtt-packet'
import type { Faults } from './faults.ts'

/** The return code of a SUBACK that refuses the subscription (MQTT 3.1.1, 3.9.3). */
const FAILURE = 0x80

/** The broker's answer to a packet other than CONNECT and PUBLISH. Most packets have none. */
export function answerTo(packet: Packet, { refuseSuback }: Pick<Faults, 'refuseSuback'>): Packet | undefined {
  const { messageId = 0 } = packet
  switch (packet.cmd) {
    case 'subscribe':
      return {
        ...{ cmd: 'suback', messageId },
        granted: packet.subscriptions.map(({ qos }) => (refuseSuback ? FAILURE : Math.min(qos, 1))),
      }
    case 'unsubscribe':
      return { cmd: 'unsuback', messageId, granted: [] }
    case 'pubrel':
      return { cmd: 'pubcomp', messageId }
    case 'pingreq':
      return { cmd: 'pingresp' }
    default:
      return undefined
  }
}
