import { connect } from 'node:net'
import mqttPacket, { type IConnectPacket, type Packet } from 'mqtt-packet'

/** An MQTT connection with as little around it as there can be: what is measured is the broker. */
export interface Line {
  send(packet: Packet): void
  close(): void
}

/** Connects, subscribes and resolves at the SUBACK; every later packet goes to `hear`. Rejects when it is refused. */
export function openLine(
  url: string,
  packet: IConnectPacket,
  topic: string | undefined,
  hear: (packet: Packet) => void,
): Promise<Line> {
  const { hostname, port } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname, noDelay: true })
  const line: Line = {
    send: (one) => void mqttPacket.writeToStream(one, socket),
    close: () => void socket.destroy(),
  }
  const parser = mqttPacket.parser({ protocolVersion: 4 })
  socket.on('data', (bytes) => void parser.parse(bytes))
  socket.on('connect', () => line.send(packet))
  return new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.on('close', () => reject(new Error(`${packet.clientId}: the connection was closed`)))
    parser.on('error', reject)
    parser.on('packet', (one) => {
      if (one.cmd === 'connack' && one.returnCode !== 0)
        reject(new Error(`${packet.clientId}: CONNACK ${one.returnCode}`))
      else if (one.cmd === 'connack' && topic === undefined) resolve(line)
      else if (one.cmd === 'connack')
        line.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: topic ?? '', qos: 1 }] })
      else if (one.cmd === 'suback') resolve(line)
      else hear(one)
    })
  })
}

/** A CONNECT with nothing in it that a broker without accounts would ask for. */
export function plainConnect(clientId: string): IConnectPacket {
  return { cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clean: true, keepalive: 120, clientId }
}
