import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseProxyHeader, readProxyHeader } from '../../../server/mqtt/proxy-header.ts'
import { createVirtualClock } from '../../support/clock.ts'
import { listening } from '../../support/listening.ts'
import { FROM_TCP4, proxyHeader } from '../../support/mqtt/proxy-header.ts'
import { until } from '../../support/wait.ts'

const V6 = '20010db8000000010000000000000007 20010db8000000000000000000000001 dc04 075b'
/** CRC32C and authority, as HAProxy writes them. */
const TLVS = '030004 12345678 020005 68656c6c6f'

describe('a header is read', () => {
  it.each<[string, Buffer, string | undefined]>([
    ['of TCP over IPv4', FROM_TCP4, '203.0.113.7'],
    ['of TCP over IPv6', proxyHeader(`2121 0024 ${V6}`), '2001:db8:0:1::7'],
    [
      'of IPv4 at an IPv6 socket',
      proxyHeader('2121 0024 00000000000000000000ffffcb007107 00000000000000000000ffffc0000201 dc04 075b'),
      '203.0.113.7',
    ],
    ['with TLVs', proxyHeader(`2111 001b cb007107 c0000201 dc04 075b ${TLVS}`), '203.0.113.7'],
    ['of a health check of the proxy', proxyHeader('2000 0000'), undefined],
    [
      'of a health check that names addresses',
      proxyHeader('2011 000c cb007107 c0000201 dc04 075b'),
      undefined,
    ],
    ['of an unknown family', proxyHeader('2100 0000'), undefined],
    ['of UDP', proxyHeader('2112 000c cb007107 c0000201 dc04 075b'), undefined],
    ['of a Unix socket', proxyHeader(`2131 00d8 ${'00'.repeat(216)}`), undefined],
    ['of the greatest length', proxyHeader(`2100 0218 ${'00'.repeat(536)}`), undefined],
  ])('%s', (_, header, source) => {
    const whole = { kind: 'whole', bytes: header.length, source }
    expect(parseProxyHeader(header)).toEqual(whole)
    expect(parseProxyHeader(Buffer.concat([header, Buffer.from([0x10, 0x0d])]))).toEqual(whole)
    for (let length = 0; length < header.length; length += 1)
      expect(parseProxyHeader(header.subarray(0, length))).toEqual({ kind: 'partial' })
  })
})

it.each<[string, Buffer]>([
  ['another version', proxyHeader('1111 000c cb007107 c0000201 dc04 075b')],
  ['another command', proxyHeader('2211 000c cb007107 c0000201 dc04 075b')],
  ['more than the text allows', proxyHeader('2111 0219')],
  ['an IPv4 header that is too short for its addresses', proxyHeader('2111 000b cb007107 c0000201 dc04 07')],
  [
    'an IPv6 header that is too short for its addresses',
    proxyHeader('2121 000c cb007107 c0000201 dc04 075b'),
  ],
])('%s is malformed', (_, header) => {
  expect(parseProxyHeader(header)).toEqual({ kind: 'malformed' })
})

it.each<[string, Buffer]>([
  ['a CONNECT', Buffer.from('101000044d515454', 'hex')],
  ['a TLS handshake', Buffer.from('1603010200010001fc', 'hex')],
  ['version 1', Buffer.from('PROXY TCP4 203.0.113.7 192.0.2.1 56324 1883\r\n')],
  ['a signature with another last byte', Buffer.from('0d0a0d0a000d0a515549540b', 'hex')],
])('%s is no header', (_, bytes) => {
  expect(parseProxyHeader(bytes)).toEqual({ kind: 'none' })
})

it('any bytes are judged', () => {
  fc.assert(
    fc.property(fc.boolean(), fc.uint8Array({ maxLength: 700 }), (isSigned, bytes) => {
      const all = isSigned ? Buffer.concat([proxyHeader(''), bytes]) : Buffer.from(bytes)
      const header = parseProxyHeader(all)
      if (header.kind === 'whole') expect(header.bytes).toBeLessThanOrEqual(all.length)
    }),
  )
})

describe('at a socket', () => {
  /** The hub's end of a connection, of which the header is read, and the proxy's end. */
  async function world() {
    const server = createServer()
    const [host, port] = (await listening(server)).split(':')
    const proxy = connect(Number(port), host)
    const [socket]: Socket[] = await once(server, 'connection')
    if (!socket) throw new Error('no connection')
    onTestFinished(() => {
      socket.destroy()
      proxy.destroy()
    })
    const clock = createVirtualClock()
    const seen = { sources: [] as (string | undefined)[], refused: [] as string[], rest: '' }
    const onRefused = (why: string) => seen.refused.push(why)
    readProxyHeader(socket, { clock, timeoutMs: 10_000, onRefused }, (source) => {
      seen.sources.push(source)
      socket.on('data', (bytes: Buffer) => {
        seen.rest += bytes.toString('hex')
      })
    })
    return { proxy, socket, clock, seen }
  }

  it.each([1, 7, 20, 200])('is taken off in pieces of %d bytes, and what follows is left', async (size) => {
    const { proxy, seen } = await world()
    proxy.setNoDelay()
    const all = Buffer.concat([FROM_TCP4, Buffer.from('100d00044d51545404', 'hex')])
    for (let at = 0; at < all.length; at += size)
      await new Promise((resolve) => proxy.write(all.subarray(at, at + size), resolve))
    await until('the rest', () => seen.rest.length === 18 || undefined)
    expect(seen).toEqual({ sources: ['203.0.113.7'], refused: [], rest: '100d00044d51545404' })
  })

  it('may be missing', async () => {
    const { proxy, seen } = await world()
    proxy.write(Buffer.from('100d', 'hex'))
    await until('the bytes', () => seen.rest || undefined)
    expect(seen).toEqual({ sources: [undefined], refused: [], rest: '100d' })
  })

  it('closes the connection when it does not end in time', async () => {
    const { proxy, socket, clock, seen } = await world()
    proxy.write(FROM_TCP4.subarray(0, 20))
    await until('some bytes', () => socket.bytesRead > 0 || undefined)
    await clock.wind(9_999)
    expect(socket.destroyed).toBe(false)
    await clock.wind(1)
    expect([socket.destroyed, seen.refused]).toEqual([true, ['no PROXY header in time']])
  })

  it('closes the connection when it is malformed', async () => {
    const { proxy, socket, seen } = await world()
    proxy.write(proxyHeader('2211 0000'))
    await until('the end of the connection', () => socket.destroyed || undefined)
    expect(seen).toEqual({ sources: [], refused: ['a malformed PROXY header'], rest: '' })
  })

  it('is given up without a word when the proxy only looks whether the port is open', async () => {
    const { proxy, socket, seen } = await world()
    proxy.end()
    await until('the end of the connection', () => socket.destroyed || undefined)
    expect(seen).toEqual({ sources: [], refused: [], rest: '' })
  })
})
