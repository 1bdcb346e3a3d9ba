import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import mqttPacket, { type IConnectPacket, type Packet } from 'mqtt-packet'
import { reason } from '../../platform/errors.ts'
import { type BoxEvent, type Speaking, shownPayload, shownText } from './box-probe-events.ts'

/** Connections at once. Each may hold the bytes below. */
const MOST_CONNECTIONS = 64
/** The largest packet. The longest message of a box that anybody has seen is below 1 kB. */
const MAX_PACKET_BYTES = 65_536
/** Bytes that are read before the lines about them are printed: a packet may have two bytes, and a line has a hundred. */
const SLICE_BYTES = 512
/** Topics of one packet that are printed. */
const SHOWN_TOPICS = 16
const CONNECT_TIMEOUT_MS = 10_000
/** A connection that was lost without a sign is found by the kernel, when the box has no keepalive. */
const TCP_KEEPALIVE_MS = 60_000

const PROTOCOLS = { 3: '3.1', 4: '3.1.1', 5: '5' } as const
/** MQTT 5.0, 3.2.2.2: unsupported protocol version. */
const UNSUPPORTED = 0x84

export interface ProbeOutput {
  tell(speaking: Speaking, said: BoxEvent): void
  /** Resolves when more may be told. */
  room(): Promise<unknown>
  /** Closes all connections. */
  stopping: AbortSignal
}

/** Accepts every box, answers it as a broker without other clients does, and tells what it says. */
export function createProbeServer(output: ProbeOutput): Server {
  let connections = 0
  const server = createServer({ noDelay: true, keepAlive: true, keepAliveInitialDelay: TCP_KEEPALIVE_MS })
  server.maxConnections = MOST_CONNECTIONS
  server.on('connection', (socket) => {
    connections += 1
    const speaking = { connection: connections, address: socket.remoteAddress ?? '' }
    void converse(socket, { ...output, tell: (said) => output.tell(speaking, said) })
  })
  return server
}

interface Listening extends Omit<ProbeOutput, 'tell'> {
  tell(said: BoxEvent): void
}

/** Ends with the connection. Never rejects. */
async function converse(socket: Socket, { tell, room, stopping }: Listening) {
  const closing = new AbortController()
  let why = 'by the box'
  const end = (sentence: string) => {
    if (closing.signal.aborted) return
    why = sentence
    closing.abort()
    socket.destroy()
  }
  socket.on('error', ({ message }) => end(message))
  socket.on('close', () => closing.abort())
  socket.setTimeout(CONNECT_TIMEOUT_MS, () => end('it was silent for too long'))
  stopping.addEventListener('abort', () => end('the probe ends'), { signal: closing.signal })
  const parser = mqttPacket.parser()
  parser.on('packet', createListener(socket, tell, end))
  parser.on('error', (error) => end(`not MQTT: ${reason(error)}`))
  try {
    let isFirst = true
    for await (const bytes of socket) {
      if (isFirst && isTls(bytes)) end('it begins with TLS: the probe has plain MQTT alone')
      isFirst = false
      for (let at = 0; at < bytes.length && !closing.signal.aborted; at += SLICE_BYTES) {
        const waiting = parser.parse(bytes.subarray(at, at + SLICE_BYTES))
        if (waiting > MAX_PACKET_BYTES) end(`a packet above ${MAX_PACKET_BYTES} bytes`)
        await room()
        if (socket.writableNeedDrain) await once(socket, 'drain', { signal: closing.signal })
      }
      if (closing.signal.aborted) break
    }
  } catch (error) {
    end(reason(error))
  }
  tell({ event: 'closed', why })
}

/** TLS 1.3, 5.1: a handshake record. In MQTT the first byte is 0x10. */
const isTls = (bytes: Buffer) => bytes[0] === 0x16 && bytes[1] === 0x03

/** Hears the packets of one connection, and answers them. */
function createListener(socket: Socket, tell: Listening['tell'], end: (why: string) => void) {
  const answer = (packet: Packet) => void socket.write(mqttPacket.generate(packet))
  let hasConnected = false
  let hasEnded = false
  const finish = (why: string) => {
    hasEnded = true
    end(why)
  }

  function connect(packet: IConnectPacket) {
    if (hasConnected) return finish('a second CONNECT')
    hasConnected = true
    tell(describeConnect(packet))
    // MQTT 3.1.1, 3.1.2.10: one and a half of the keepalive; 0 turns it off.
    socket.setTimeout((packet.keepalive ?? 0) * 1_500)
    if (packet.protocolVersion !== 5) return answer({ cmd: 'connack', returnCode: 0, sessionPresent: false })
    const refusal = { cmd: 'connack', reasonCode: UNSUPPORTED, sessionPresent: false } as const
    socket.write(mqttPacket.generate(refusal, { protocolVersion: 5 }))
    finish('MQTT 5, and the hub has 3.1 and 3.1.1')
  }

  function showTopics<T>(topics: readonly T[], eventOf: (topic: T) => BoxEvent) {
    for (const topic of topics.slice(0, SHOWN_TOPICS)) tell(eventOf(topic))
    const count = topics.length - SHOWN_TOPICS
    if (count > 0) tell({ event: 'more_topics', count })
  }

  return (packet: Packet) => {
    if (hasEnded) return
    if (packet.cmd === 'connect') return connect(packet)
    if (!hasConnected) return finish('its first packet is no CONNECT')
    const { messageId = 0 } = packet
    switch (packet.cmd) {
      case 'subscribe':
        showTopics(packet.subscriptions, ({ topic: filter, qos }) => ({
          event: 'subscribe',
          filter: shownText(filter),
          qos,
        }))
        return answer({ cmd: 'suback', messageId, granted: packet.subscriptions.map(({ qos }) => qos) })
      case 'unsubscribe':
        showTopics(packet.unsubscriptions, (topic) => ({ event: 'unsubscribe', filter: shownText(topic) }))
        return answer({ cmd: 'unsuback', messageId, granted: [] })
      case 'publish': {
        const { topic, qos, retain, dup, payload } = packet
        tell({ event: 'publish', topic: shownText(topic), qos, retain, dup, ...shownPayload(payload) })
        if (qos > 0) answer({ cmd: qos === 1 ? 'puback' : 'pubrec', messageId })
        return
      }
      case 'pubrel':
        return answer({ cmd: 'pubcomp', messageId })
      case 'pingreq':
        tell({ event: 'ping' })
        return answer({ cmd: 'pingresp' })
      case 'disconnect':
        tell({ event: 'disconnect' })
        return finish('by the box')
      // The probe sends nothing that a box could answer.
      default:
        return finish(`${packet.cmd}, which answers nothing`)
    }
  }
}

/** The password is counted, and its characters are dropped here. */
function describeConnect(packet: IConnectPacket): BoxEvent {
  const { protocolVersion = 4, clientId, username, password, clean = false, keepalive = 0, will } = packet
  return {
    event: 'connect',
    protocol: PROTOCOLS[protocolVersion],
    clientId: shownText(clientId),
    ...(username === undefined ? {} : { username: shownText(username) }),
    ...(password === undefined || password === null ? {} : { passwordBytes: password.length }),
    ...{ clean, keepalive },
    ...(will && {
      will: {
        ...{ topic: shownText(will.topic), qos: will.qos ?? 0, retain: will.retain ?? false },
        ...shownPayload(will.payload),
      },
    }),
  }
}
