import type { IConnectPacket } from 'mqtt-packet'
import { downPrefix, openFrame, sealFrame, upPrefix } from '../../../protocol/frame.ts'
import { deriveKeys } from '../../../protocol/keys.ts'
import type { AckStage } from '../../../protocol/messages/ack.ts'
import { type AnyCommand, parseCommand } from '../../../protocol/messages/command.ts'
import { connectPacketOf } from '../../support/mqtt/connect-packet.ts'
import { openLine } from '../../support/mqtt/light-line.ts'
import { type Round, untilClosed } from './round.ts'
import type { Listener, TargetDevice } from './target.ts'

const SID = '0123456789abcdef'
const KEEPALIVE_S = 60
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
  const welcomed = Promise.withResolvers<boolean>()
  const say = (kind: 'birth' | 'ack', body: object) => {
    line.publish(kind, Buffer.from(sealFrame(keys.up, upPrefix(serial, SID, kind), body)))
    round.count(kind)
  }
  const birth = () =>
    say('birth', {
      ...{ t: 'birth', sid: SID, fw: '1', model: 'gang', caps: ['screen', 'speaker'], lang: ['vi'] },
      rx: 2048,
    })
  const line = openLine({
    ...{ socket, serial, keys, sid: SID, keepaliveS: KEEPALIVE_S, opened: birth },
    message(payload) {
      const opened = openFrame(keys.down, downPrefix(serial, SID), payload)
      const parsed = opened.ok ? parseCommand(opened.body) : undefined
      if (parsed?.kind !== 'command') return
      const { command } = parsed
      const st = hear(command)
      if (st) say('ack', { t: 'ack', id: command.id, n: command.n, st })
      if (command.t === 'welcome') welcomed.resolve(true)
    },
    ended: () => welcomed.resolve(false),
  })
  const closed = untilClosed(socket)
  if (!(await welcomed.promise)) return undefined
  return {
    ...{ birth, freeze: line.freeze, close: line.close, closed },
    get isOpen() {
      return !socket.destroyed
    },
    publish: (topic, payload) =>
      line.send({ cmd: 'publish', topic, payload, qos: 1, messageId: MESSAGE_ID, dup: false, retain: false }),
    write: (bytes) => void socket.write(bytes),
  }
}

/** The CONNECT of a device that does only what an attack tells it. */
export function connectOf(serial: string, password: string): IConnectPacket {
  return connectPacketOf(serial, password, { sid: SID, keepalive: KEEPALIVE_S })
}
