import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { anchorBytes } from '../../../../simulator/firmware/emulator/anchor.ts'
import { builtTlsProbe, missingForTls } from '../../../protocol/firmware/bearssl.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { makeAuthority } from '../../../support/processes/authority.ts'
import { start } from '../../../support/processes/process.ts'

const missing = missingForTls()
const HOST = 'hub.example'
const DAY_S = 86_400
/** Longer than the largest record of the firmware. */
const LONG = 'x'.repeat(20_000)

describe.skipIf(missing !== undefined)(`the TLS of the firmware${missing ? `: ${missing}` : ''}`, () => {
  it.each([
    ['P-256', 'ec', 'ec', 4096],
    ['RSA', 'rsa', 'rsa', 4096],
    ['an RSA authority and a P-256 hub', 'rsa', 'ec', 4096],
    ['single bytes', 'ec', 'ec', 1],
    ['pieces of 7 bytes', 'rsa', 'rsa', 7],
  ] as const)('talks to a hub whose certificate is right: %s', async (_, kind, own, piece) => {
    const authority = makeAuthority(onTestFinished, kind)
    const port = await hub(authority.issue(`DNS:other.example,DNS:${HOST}`, own), (socket) => {
      socket.once('data', (bytes) => socket.end(`${LONG}${bytes}`))
    })
    expect(await probe(authority.cert, port, { piece })).toEqual([0, `${LONG}hello`])
  })

  it.each([
    ['AES-128-GCM', { ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' }],
    ['ChaCha20', { ciphers: 'ECDHE-ECDSA-CHACHA20-POLY1305' }],
  ])('talks to a hub that takes only one cipher: %s', async (_, options) => {
    const authority = makeAuthority(onTestFinished)
    const port = await hub(authority.issue(`DNS:${HOST}`), echo, { ...options, maxVersion: 'TLSv1.2' })
    expect(await probe(authority.cert, port)).toEqual([0, 'hello'])
  })

  it('refuses a certificate of another authority, also of one with the same name', async () => {
    const authority = makeAuthority(onTestFinished)
    const port = await hub(authority.issue(`DNS:${HOST}`), echo)
    const other = makeAuthority(onTestFinished, 'ec', '/CN=Other')
    expect(await probe(other.cert, port)).toEqual([1, 'certificate not trusted\n'])
    const namesake = makeAuthority(onTestFinished)
    expect(await probe(namesake.cert, port)).toEqual([1, 'certificate not trusted\n'])
  })

  it('refuses a certificate of another host', async () => {
    const authority = makeAuthority(onTestFinished)
    const port = await hub(authority.issue('DNS:other.example,DNS:hub.example.org,DNS:xhub.example'), echo)
    expect(await probe(authority.cert, port)).toEqual([1, 'certificate of another host\n'])
  })

  it('refuses a certificate that has expired, and takes one that is newer than what it knows of the time', async () => {
    const authority = makeAuthority(onTestFinished)
    const port = await hub(authority.issue(`DNS:${HOST}`), echo)
    const now = Math.floor(Date.now() / 1000)
    for (const days of [11, 400])
      expect(await probe(authority.cert, port, { seconds: now + days * DAY_S })).toEqual([
        1,
        'certificate expired\n',
      ])
    for (const days of [-9_000, -1, 0, 9])
      expect(await probe(authority.cert, port, { seconds: now + days * DAY_S })).toEqual([0, 'hello'])
  })

  it('has no second handshake, and touches the memory of its check no more after the first one', async () => {
    const authority = makeAuthority(onTestFinished)
    let asked = false
    const port = await hub(
      authority.issue(`DNS:${HOST}`),
      (socket) => {
        socket.write('first')
        socket.once('data', () => {
          asked = socket.renegotiate({}, () => undefined) === true
        })
      },
      { maxVersion: 'TLSv1.2' },
    )
    // OpenSSL ends the connection when it is refused.
    expect(await probe(authority.cert, port)).toEqual([0, 'first'])
    expect(asked).toBe(true)
  })

  it('ends when the hub has no TLS 1.2, or no TLS at all', async () => {
    const authority = makeAuthority(onTestFinished)
    const port = await hub(authority.issue(`DNS:${HOST}`), echo, { minVersion: 'TLSv1.3' })
    expect(await probe(authority.cert, port)).toEqual([1, 'the hub has refused TLS\n'])
    const plain = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.on('data', () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'))
    })
    expect(await probe(authority.cert, await listening(plain))).toEqual([1, 'TLS failed\n'])
  })

  it('trusts nobody when the bytes of its authority are damaged', async () => {
    const authority = makeAuthority(onTestFinished)
    const port = await hub(authority.issue(`DNS:${HOST}`), echo)
    const bytes = anchorBytes(authority.cert)
    for (let at = 0; at < bytes.length; at += 1) {
      if (at % 16 !== 0 && at > 10) continue
      const damaged = Buffer.from(bytes)
      damaged[at] = Number(damaged[at]) ^ 0x10
      expect(await probe(damaged, port)).toEqual([1, 'the anchor is damaged\n'])
    }
  })
})

function echo(socket: TLSSocket) {
  socket.once('data', (bytes) => socket.end(bytes))
}

/** A hub that speaks TLS only, and answers a line. Resolves with its port. */
function hub(
  { cert, key }: { cert: string; key: string },
  answer: (socket: TLSSocket) => void,
  options: TlsOptions = {},
): Promise<number> {
  return listening(
    createTlsServer({ ...options, cert, key }, (socket) => {
      socket.on('error', () => undefined)
      answer(socket)
    }).on('tlsClientError', () => undefined),
  )
}

async function listening(server: ReturnType<typeof createServer>): Promise<number> {
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return Number(Object(server.address()).port)
}

/** Says hello to the hub as the firmware does. Resolves with the exit code, and what was printed. */
async function probe(
  authority: string | Buffer,
  port: number,
  { seconds = Math.floor(Date.now() / 1000), piece = 4096 } = {},
): Promise<[number | null, string]> {
  const file = `${temporaryFolder(onTestFinished)}/anchor`
  writeFileSync(file, typeof authority === 'string' ? anchorBytes(authority) : authority)
  const args = [file, HOST, '127.0.0.1', `${port}`, 'hello', `${seconds}`, `${piece}`]
  const { code, stdout } = await start(await builtTlsProbe(), args, {}, onTestFinished).ended
  return [code, stdout]
}
