import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { type ConnectionOptions, type TLSSocket, connect as tlsConnect } from 'node:tls'
import mqttPacket, { type Packet } from 'mqtt-packet'
import { sealFrame, upPrefix } from '../../../protocol/frame.ts'
import { deriveKeys, passwordOf } from '../../../protocol/keys.ts'
import { downTopic, UP_QOS, type UpKind, upTopic } from '../../../protocol/topics.ts'
import { connectPacketOf } from '../../support/mqtt/connect-packet.ts'

/** As long as a short sentence. */
const SPEECH_MS = 1_500

export interface MeasuredDevice {
  /** The port of its end of the connection. */
  readonly localPort: number
  /** TLS went on from an earlier session. */
  readonly isResumed: boolean
  /** The announcements that it has played. */
  readonly played: number
  tellTelemetry(): void
  ping(): void
  close(): void
}

export interface DeviceOptions {
  serial: string
  key: Buffer
  port: number
  keepaliveS: number
  /** TLS instead of TCP. */
  tls?: ConnectionOptions
}

/** A speaker as small as one can be: one packet a segment, no Nagle, every ack as soon as it is due. */
export async function openDevice({
  serial,
  key,
  port,
  keepaliveS,
  tls,
}: DeviceOptions): Promise<MeasuredDevice> {
  const keys = deriveKeys(key)
  const sid = randomBytes(8).toString('hex')
  const welcomed = Promise.withResolvers<void>()
  const host = '127.0.0.1'
  let messageId = 0
  let played = 0
  const line: Socket | TLSSocket = tls ? tlsConnect({ host, port, ...tls }) : connect({ host, port })
  line.setNoDelay(true)
  const send = (...packets: Packet[]) =>
    line.write(Buffer.concat(packets.map((packet) => Buffer.from(mqttPacket.generate(packet)))))

  function publish(kind: UpKind, body: object): Packet {
    const isPlain = kind === 'telemetry'
    const payload = isPlain
      ? Buffer.from(JSON.stringify(body))
      : Buffer.from(sealFrame(keys.up, upPrefix(serial, sid, kind), body))
    messageId += 1
    const shared = {
      cmd: 'publish',
      topic: upTopic(serial, kind),
      payload,
      dup: false,
      retain: false,
    } as const
    return UP_QOS[kind] === 1 ? { ...shared, qos: 1, messageId } : { ...shared, qos: 0 }
  }

  function obey(packet: Packet) {
    if (packet.cmd === 'connack') {
      const subscriptions = [{ topic: downTopic(serial), qos: 1 as const }]
      return send({ cmd: 'subscribe', messageId: 65_535, subscriptions })
    }
    if (packet.cmd === 'suback')
      return send(
        publish('birth', {
          ...{ t: 'birth', sid, fw: '1.0.0', model: 'SB-1', caps: ['screen', 'speaker', 'qr'] },
          ...{ lang: ['vi'], rx: 512, played: 0, settings: 0 },
        }),
      )
    if (packet.cmd !== 'publish') return true
    const { t, id, n }: { t: string; id: string; n: number } = JSON.parse(packet.payload.toString())
    const puback: Packet = { cmd: 'puback', messageId: packet.messageId ?? 0 }
    send(puback, publish('ack', { t: 'ack', id, n, st: 'received' }))
    if (t === 'welcome') welcomed.resolve()
    if (t === 'announce')
      setTimeout(() => {
        played += 1
        send(publish('ack', { t: 'ack', id, n, st: 'played' }))
      }, SPEECH_MS)
    else if (t !== 'welcome' && t !== 'settings') send(publish('ack', { t: 'ack', id, n, st: 'shown' }))
    return true
  }

  const parser = mqttPacket.parser({ protocolVersion: 4 })
  parser.on('packet', obey)
  line.on('data', (bytes) => void parser.parse(bytes))
  line.on('error', welcomed.reject)
  line.once(tls ? 'secureConnect' : 'connect', () =>
    send(connectPacketOf(serial, passwordOf(keys), { sid, keepalive: keepaliveS })),
  )
  await welcomed.promise
  return {
    localPort: line.localPort ?? 0,
    isResumed: 'isSessionReused' in line && line.isSessionReused(),
    get played() {
      return played
    },
    tellTelemetry: () => void send(publish('telemetry', { battery: 87, signal: -61, volume: 80, queue: 0 })),
    ping: () => void send({ cmd: 'pingreq' }),
    close: () => void line.destroy(),
  }
}
