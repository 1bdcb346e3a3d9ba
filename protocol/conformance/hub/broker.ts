import type { Packet } from 'mqtt-packet'
import type { Faults } from './faults.ts'

/** The broker's answer to a packet other than CONNECT and PUBLISH. Most packets have none. */
export function answerTo(packet: Packet, { refuseSuback, withholdPingresp }: Faults): Packet | undefined {
  const { messageId = 0 } = packet
  switch (packet.cmd) {
    case 'subscribe':
      return {
        ...{ cmd: 'suback', messageId },
        granted: packet.subscriptions.map(({ qos }) => refuseSuback ?? Math.min(qos, 1)),
      }
    case 'unsubscribe':
      return { cmd: 'unsuback', messageId, granted: [] }
    case 'pubrel':
      return { cmd: 'pubcomp', messageId }
    case 'pingreq':
      return withholdPingresp ? undefined : { cmd: 'pingresp' }
    default:
      return undefined
  }
}
