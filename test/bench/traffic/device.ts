import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { type ConnectionOptions, type TLSSocket, connect as tlsConnect } from 'node:tls'
import { sealFrame, upPrefix } from '../../../protocol/frame.ts'
import { deriveKeys } from '../../../protocol/keys.ts'
import { openLine } from '../../support/mqtt/light-line.ts'

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

/** A speaker as small as one can be: no Nagle, every ack as soon as it is due. */
export async function openDevice(options: DeviceOptions): Promise<MeasuredDevice> {
  const { serial, port, keepaliveS, tls } = options
  const keys = deriveKeys(options.key)
  const sid = randomBytes(8).toString('hex')
  const welcomed = Promise.withResolvers<void>()
  const host = '127.0.0.1'
  let played = 0
  const socket: Socket | TLSSocket = tls ? tlsConnect({ host, port, ...tls }) : connect({ host, port })
  socket.setNoDelay(true)
  const say = (kind: 'birth' | 'ack', body: object) =>
    line.publish(kind, Buffer.from(sealFrame(keys.up, upPrefix(serial, sid, kind), body)))

  const line = openLine({
    ...{ socket, serial, keys, sid, keepaliveS },
    opened: () =>
      say('birth', {
        ...{ t: 'birth', sid, fw: '1.0.0', model: 'SB-1', caps: ['screen', 'speaker', 'qr'] },
        ...{ lang: ['vi'], rx: 512, played: 0, settings: 0 },
      }),
    message(payload) {
      const { t, id, n }: { t: string; id: string; n: number } = JSON.parse(payload.toString())
      say('ack', { t: 'ack', id, n, st: 'received' })
      if (t === 'welcome') welcomed.resolve()
      if (t === 'announce')
        setTimeout(() => {
          played += 1
          say('ack', { t: 'ack', id, n, st: 'played' })
        }, SPEECH_MS)
      else if (t !== 'welcome' && t !== 'settings') say('ack', { t: 'ack', id, n, st: 'shown' })
    },
    ended: () => welcomed.reject(new Error(`the connection of ${serial} has ended`)),
  })
  await welcomed.promise
  return {
    localPort: socket.localPort ?? 0,
    isResumed: 'isSessionReused' in socket && socket.isSessionReused(),
    get played() {
      return played
    },
    tellTelemetry() {
      const telemetry = { battery: 87, signal: -61, volume: 80, queue: 0 }
      line.publish('telemetry', Buffer.from(JSON.stringify(telemetry)))
    },
    ping: () => line.send({ cmd: 'pingreq' }),
    close: line.close,
  }
}
