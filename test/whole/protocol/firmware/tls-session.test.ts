import { connect } from 'node:net'
import { createServer } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { missingForTls } from '../../../protocol/firmware/bearssl.ts'
import { missingForFirmware } from '../../../protocol/firmware/build.ts'
import { firmwareDevice } from '../../../protocol/firmware/device.ts'
import { makeAuthority } from '../../../support/processes/authority.ts'
import { until } from '../../../support/wait.ts'
import { openShop } from '../c/shop.ts'

const missing = missingForFirmware() ?? missingForTls()
if (missing !== undefined)
  process.stderr.write(`A session of the firmware over its own TLS is not tested. ${missing}\n`)

const PARTS = [`BEARSSL=${process.env.BEARSSL}`]
/** Without all that may be left out. It has ChaCha20 alone. */
const LEAST = [...PARTS, 'LOG=0', 'SCREEN=0', 'SMALL=1', 'AES=0', 'RSA=0', 'CURVE=small', 'TLS_RX=1024']
const AES_ONLY = [...PARTS, 'LOG=0', 'CHACHA=0']
/** Longer than a certificate of the tests is valid. */
const EXPIRED_MS = 11 * 86_400_000

describe.skipIf(missing !== undefined)(
  'sb/1 18.9: the firmware with a TLS of its own in the emulator',
  () => {
    it('speaks a payment of a hub whose certificate is right', async () => {
      const { speaker, pay, untilStage, register } = await openSecureShop()
      await speaker.next('connected')
      await register(speaker)
      await pay('FT0001', '50000')
      await untilStage('FT0001', 'played')
      await speaker.device.switchOff()
      expect(speaker.lines.at(-1)).toMatchObject({ event: 'power', on: false, why: 'off' })
      expect(speaker.mistakes()).toEqual([])
    })

    it.each([
      [
        'of another authority',
        'certificate not trusted',
        () => makeAuthority(onTestFinished).issue('DNS:localhost'),
      ],
      ['for another host', 'certificate of another host', ({ issue }) => issue('DNS:hub.example')],
    ] as [string, string, (authority: ReturnType<typeof makeAuthority>) => Certificate][])(
      'says nothing to a hub with a certificate %s, and tells the right one of it',
      async (_, reason, issueWrong) => {
        const { speaker, front, authority } = await openSecureShop(issueWrong)
        expect(await speaker.next('offline')).toMatchObject({ reason })
        expect(front.said()).toBe('')
        front.show(authority.issue('DNS:localhost'))
        await speaker.next('connected')
        await until('the cause in its telemetry', () => front.said().includes(`"modem":"${reason}"`))
      },
    )

    it('refuses a certificate that had expired at the time of the last welcome', async () => {
      const { speaker, front, clock } = await openSecureShop()
      await speaker.next('connected')
      clock.set(Date.now() + EXPIRED_MS - clock.now())
      front.cut()
      // It learns the hub's time in this session.
      await speaker.next('connected', 2)
      const said = front.said()
      front.cut()
      await until('the cause', () =>
        speaker.lines.some(({ event, reason }) => event === 'offline' && reason === 'certificate expired'),
      )
      expect(front.said()).toBe(said)
    })

    it.each([
      ['its smallest build', LEAST, 'ECDHE-ECDSA-CHACHA20-POLY1305'],
      ['a build with AES alone', AES_ONLY, 'ECDHE-ECDSA-AES128-GCM-SHA256'],
    ])('%s is welcomed, and logs nothing', async (_, parts, cipher) => {
      const { front, speaker } = await openSecureShop((one) => one.issue('DNS:localhost'), parts)
      // The birth is before the welcome, telemetry behind it.
      await until('telemetry', () => /"t":"birth".*"reset":"power"/s.test(front.said()))
      expect(front.ciphers()).toEqual([cipher])
      await speaker.device.switchOff()
      expect(front.said()).toContain('"reason":"bye"')
      expect(speaker.lines.map(({ event }) => event)).toEqual(['power', 'power'])
    })

    it('does not start without an authority in its factory area', async () => {
      const { device, place } = await openShop()
      const speaker = await firmwareDevice(
        { ...device, url: place.url, parts: PARTS, tls: 'firmware' },
        onTestFinished,
      )
      speaker.device.powerOn()
      expect(await speaker.next('unprovisioned')).toMatchObject({
        reason: 'no TLS in this build, or no authority',
      })
    })
  },
)

type Certificate = { cert: string; key: string }

/** A shop whose hub is behind a front with TLS, and a device that trusts the front's authority. It is on. */
async function openSecureShop(
  issue: (authority: ReturnType<typeof makeAuthority>) => Certificate = (one) => one.issue('DNS:localhost'),
  parts = PARTS,
) {
  const shop = await openShop()
  const authority = makeAuthority(onTestFinished)
  const front = await openFront(shop.place.url, issue(authority))
  const speaker = await firmwareDevice(
    { ...shop.device, url: front.url, parts, tls: 'firmware', authority: authority.cert },
    onTestFinished,
  )
  speaker.device.powerOn()
  return { ...shop, authority, front, speaker }
}

/** Ends TLS before a hub. */
async function openFront(url: string, certificate: Certificate) {
  let said = ''
  const ciphers: string[] = []
  const connections = new Set<() => void>()
  const server = createServer(certificate, (outer) => {
    ciphers.push(outer.getCipher().name)
    const inner = connect(Number(new URL(url).port), '127.0.0.1')
    const cut = () => {
      outer.destroy()
      inner.destroy()
    }
    connections.add(cut)
    for (const end of [outer, inner]) end.on('error', cut).on('close', cut)
    outer.on('data', (bytes) => {
      said += bytes
    })
    outer.pipe(inner).pipe(outer)
  }).on('tlsClientError', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cutAll = () => {
    for (const cut of connections) cut()
  }
  onTestFinished(() => {
    cutAll()
    server.close()
  })
  return {
    url: `mqtts://localhost:${Object(server.address()).port}`,
    /** What devices have said inside TLS. */
    said: () => said,
    /** The ciphers of its connections. */
    ciphers: () => ciphers,
    show: (other: Certificate) => server.setSecureContext(other),
    /** Ends every connection. */
    cut: cutAll,
  }
}
