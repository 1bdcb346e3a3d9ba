import mqttPacket, { type IConnectPacket, type Packet } from 'mqtt-packet'
import { downPrefix, openFrame, sealFrame, upPrefix } from '../../../protocol/frame.ts'
import { deriveKeys, passwordOf } from '../../../protocol/keys.ts'
import type { AckStage } from '../../../protocol/messages/ack.ts'
import { type AnyCommand, parseCommand } from '../../../protocol/messages/command.ts'
import { downTopic, type UpKind, upTopic } from '../../../protocol/topics.ts'
import { connectPacketOf } from '../../support/mqtt/connect-packet.ts'
import { type Round, untilClosed } from './round.ts'
import type { Listener, TargetDevice } from './target.ts'

const SID = '0123456789abcdef'
/** One packet id serves them all: nobody here waits for a PUBACK. */
const MESSAGE_ID = 7

/** A speaker of the neighbour with a good key, on a bare socket. It does only what an attack tells it. */
export interface Device {
  readonly isOpen: boolean
  /** Says its birth; again, if it was said before. */
  birth(): void
  publish(topic: string, payload: Buffer): void
  write(bytes: Buffer): void
  /** Reads nothing any more. */
  freeze(): void
  close(): void
  closed: Promise<void>
}

/** Tells the stage to which a command is acked. */
type Hear = (command: AnyCommand) => AckStage | undefined

/** Resolves after the first welcome; undefined when the hub ended the connection before. */
export async function openDevice(
  round: Pick<Round, 'connect' | 'count'>,
  to: Listener,
  { serial, key }: TargetDevice,
  from: string,
  hear: Hear = () => 'received',
): Promise<Device | undefined> {
  const keys = deriveKeys(Buffer.from(key, 'base64'))
  const socket = round.connect(to, from)
  const parser = mqttPacket.parser({ protocolVersion: 4 })
  const welcomed = Promise.withResolvers<boolean>()
  const send = (packet: Packet) => {
    if (!socket.destroyed) socket.write(mqttPacket.generate(packet))
  }
  const say = (kind: UpKind, body: object) => {
    self.publish(upTopic(serial, kind), Buffer.from(sealFrame(keys.up, upPrefix(serial, SID, kind), body)))
    round.count(kind)
  }
  const self: Device = {
    get isOpen() {
      return !socket.destroyed
    },
    birth: () =>
      say('birth', {
        ...{ t: 'birth', sid: SID, fw: '1', model: 'gang', caps: ['screen', 'speaker'], lang: ['vi'] },
        rx: 2048,
      }),
    publish: (topic, payload) =>
      send({ cmd: 'publish', topic, payload, qos: 1, messageId: MESSAGE_ID, dup: false, retain: false }),
    write: (bytes) => void socket.write(bytes),
    freeze: () => void socket.pause(),
    close: () => void socket.destroy(),
    closed: untilClosed(socket),
  }

  function take(payload: Buffer) {
    const opened = openFrame(keys.down, downPrefix(serial, SID), payload)
    const parsed = opened.ok ? parseCommand(opened.body) : undefined
    if (parsed?.kind !== 'command') return
    const { command } = parsed
    const st = hear(command)
    if (st) say('ack', { t: 'ack', id: command.id, n: command.n, st })
    if (command.t === 'welcome') welcomed.resolve(true)
  }

  parser.on('packet', (packet) => {
    if (packet.cmd === 'connack')
      send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: downTopic(serial), qos: 1 }] })
    if (packet.cmd === 'suback') self.birth()
    if (packet.cmd !== 'publish') return
    send({ cmd: 'puback', messageId: packet.messageId ?? 0 })
    take(Buffer.from(packet.payload))
  })
  parser.on('error', () => void socket.destroy())
  socket.on('data', (bytes) => void parser.parse(bytes))
  send(connectOf(serial, passwordOf(keys)))
  void self.closed.then(() => welcomed.resolve(false))
  return (await welcomed.promise) ? self : undefined
}

/** The CONNECT of a device that does only what an attack tells it. */
export function connectOf(serial: string, password: string): IConnectPacket {
  return connectPacketOf(serial, password, { sid: SID, keepalive: 60 })
}
