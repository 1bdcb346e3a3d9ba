import { type Socket, SocketAddress } from 'node:net'
import type { Clock } from '../platform/clock.ts'
import { plainAddress } from '../platform/net/address.ts'

/*
 * The PROXY protocol, version 2: a proxy in front of the hub writes the address of its client before the client's bytes.
 * https://www.haproxy.org/download/2.6/doc/proxy-protocol.txt, section 2.2
 */

/** No packet of MQTT and no TLS handshake begins with the first of these bytes. */
const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1')
/** The signature, version and command, family, and the length of the rest. */
const FIXED_BYTES = 16
/** The rest: addresses and what else the proxy knows (TLVs). The text promises that a proxy needs no more. */
const MAX_REST_BYTES = 536
const [LOCAL, PROXY] = [0x20, 0x21]
const [TCP4, TCP6] = [0x11, 0x21]

/** A header that begins some bytes. */
export type ProxyHeader =
  | { kind: 'none' }
  | { kind: 'partial' }
  | { kind: 'malformed' }
  /** `source` is undefined when the proxy speaks for itself, or does not know. */
  | { kind: 'whole'; bytes: number; source: string | undefined }

export function parseProxyHeader(bytes: Buffer): ProxyHeader {
  const begun = Math.min(bytes.length, SIGNATURE.length)
  if (bytes.compare(SIGNATURE, 0, begun, 0, begun) !== 0) return { kind: 'none' }
  if (bytes.length < FIXED_BYTES) return { kind: 'partial' }
  const [command, family, length] = [bytes.readUInt8(12), bytes.readUInt8(13), bytes.readUInt16BE(14)]
  if ((command !== LOCAL && command !== PROXY) || length > MAX_REST_BYTES) return { kind: 'malformed' }
  const whole = { kind: 'whole', bytes: FIXED_BYTES + length } as const
  if (bytes.length < whole.bytes) return { kind: 'partial' }
  if (command === LOCAL || (family !== TCP4 && family !== TCP6)) return { ...whole, source: undefined }
  // Both addresses and both ports.
  if (length < (family === TCP4 ? 12 : 36)) return { kind: 'malformed' }
  const source = family === TCP4 ? ipv4(bytes.subarray(16, 20)) : ipv6(bytes.subarray(16, 32))
  return { ...whole, source }
}

function ipv4(bytes: Buffer): string {
  return bytes.join('.')
}

function ipv6(bytes: Buffer): string {
  const groups = Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(2 * at).toString(16))
  return plainAddress(new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address)
}

/**
 * Reads the header of a connection from a trusted proxy, and leaves what follows it in the socket. Then calls `act` with
 * the address that it names; undefined when it names none, or when there is none. A connection whose header is malformed
 * or does not end within `timeoutMs` is destroyed, with a word to `onRefused`.
 */
export function readProxyHeader(
  socket: Socket,
  { clock, timeoutMs, onRefused }: { clock: Clock; timeoutMs: number; onRefused: (why: string) => void },
  act: (source: string | undefined) => void,
) {
  let read = Buffer.alloc(0)
  const refuse = (why: string) => {
    onRefused(why)
    socket.destroy()
  }
  const cancel = clock.after(timeoutMs, () => refuse('no PROXY header in time'))

  function look() {
    const more: unknown = socket.read()
    if (!Buffer.isBuffer(more)) return
    read = Buffer.concat([read, more])
    const header = parseProxyHeader(read)
    if (header.kind === 'partial') return
    stop()
    if (header.kind === 'malformed') return refuse('a malformed PROXY header')
    const rest = header.kind === 'whole' ? read.subarray(header.bytes) : read
    if (rest.length > 0) socket.unshift(rest)
    act(header.kind === 'whole' ? header.source : undefined)
  }

  const end = () => socket.destroy()

  function stop() {
    cancel()
    socket.off('readable', look)
    socket.off('end', end)
    socket.off('close', stop)
  }

  socket.on('readable', look)
  // It may end or break before it has said anything.
  socket.on('end', end)
  socket.on('error', end)
  socket.on('close', stop)
}
