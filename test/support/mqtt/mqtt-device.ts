import mqtt, { type IClientOptions, type MqttClient } from 'mqtt'
import { onTestFinished } from 'vitest'
import { downPrefix, openFrame, sealFrame, upPrefix } from '../../../protocol/frame.ts'
import { type DeviceKeys, deriveKeys, parseKey, passwordOf } from '../../../protocol/keys.ts'
import type { AckStage } from '../../../protocol/messages/ack.ts'
import { type AnyCommand, parseCommand } from '../../../protocol/messages/command.ts'
import { downTopic, UP_QOS, type UpKind, upTopic } from '../../../protocol/topics.ts'
import type { OnEnd } from '../folder.ts'
import { until } from '../wait.ts'
import { connectPacketOf } from './connect-packet.ts'

export interface Minted {
  serial: string
  key: string
}

/** For the CONNACK. The test ends sooner when there is none. */
const CONNECT_TIMEOUT_MS = 600_000

export function keysOf({ key }: Minted): DeviceKeys {
  const parsed = parseKey(key)
  if (!parsed) throw new Error('not a device key')
  return deriveKeys(parsed)
}

/** A new session id for each number. */
export const sidOf = (n: number) => n.toString(16).padStart(16, '0')

/** A CONNECT that follows sb/1, with the longest keepalive. A test changes single options. */
function connectOptions(device: Minted, sid: string) {
  const packet = connectPacketOf(device.serial, passwordOf(keysOf(device)), { sid, keepalive: 120 })
  return { ...packet, reconnectPeriod: 0, connectTimeout: CONNECT_TIMEOUT_MS }
}

/** Changes to a device's CONNECT. Undefined removes an option. */
export type ConnectChanges = { [K in keyof IClientOptions]?: IClientOptions[K] | undefined } & {
  sid?: string
  onEnd?: OnEnd
}

/** A device over a real connection. */
export interface MqttDevice {
  client: MqttClient
  /** Every command, oldest first. A command that is sent again is there once. */
  heard: AnyCommand[]
  closed: boolean
  birth(body?: object): Promise<void>
  publish(kind: UpKind, payload: Uint8Array): Promise<void>
  ack(command: AnyCommand, st: AckStage): Promise<void>
  /** Resolves with the first command of that type. */
  next(t: AnyCommand['t']): Promise<AnyCommand>
}

/** Connects. Rejects with the error of the refusal. */
export async function connectDevice(
  url: string,
  device: Minted,
  changes: ConnectChanges = {},
): Promise<MqttDevice> {
  const { sid = sidOf(1), onEnd = onTestFinished, ...options } = changes
  // MQTT.js treats an undefined option as absent. Its types do not allow undefined.
  const client = mqtt.connect(url, { ...connectOptions(device, sid), ...options } as IClientOptions)
  onEnd(() => void client.end(true))
  await new Promise<void>((resolve, reject) => {
    client.once('connect', () => resolve())
    client.once('error', reject)
    client.once('close', () => reject(new Error('closed without an answer')))
  })
  client.on('error', () => undefined)

  const keys = keysOf(device)
  const heard: AnyCommand[] = []
  const made: MqttDevice = {
    client,
    heard,
    closed: false,
    async birth(body = {}) {
      const whole = { t: 'birth', sid, fw: '1.0', model: 'test', caps: [], lang: ['vi'], rx: 2048, ...body }
      await made.publish('birth', sealFrame(keys.up, upPrefix(device.serial, sid, 'birth'), whole))
    },
    async publish(kind, payload) {
      await client.publishAsync(upTopic(device.serial, kind), Buffer.from(payload), { qos: UP_QOS[kind] })
    },
    ack: ({ id, n }, st) =>
      made.publish('ack', sealFrame(keys.up, upPrefix(device.serial, sid, 'ack'), { t: 'ack', id, n, st })),
    next: (t) => until(`the command ${t}`, () => heard.find((command) => command.t === t)),
  }
  client.once('close', () => {
    made.closed = true
  })
  client.on('message', (_topic, payload) => {
    const opened = openFrame(keys.down, downPrefix(device.serial, sid), payload)
    const parsed = opened.ok ? parseCommand(opened.body) : undefined
    if (parsed?.kind !== 'command') return
    const { command } = parsed
    if (!heard.some(({ id, n }) => id === command.id && n === command.n)) heard.push(command)
  })
  return made
}

/** A device that is connected, subscribed, born and welcomed. */
export async function bornDevice(
  url: string,
  device: Minted,
  changes: ConnectChanges = {},
): Promise<MqttDevice> {
  const connected = await connectDevice(url, device, changes)
  await connected.client.subscribeAsync(downTopic(device.serial), { qos: 1 })
  await connected.birth()
  await connected.ack(await connected.next('welcome'), 'received')
  return connected
}
