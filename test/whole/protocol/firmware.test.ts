import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isAlive } from '../../../simulator/platform/process-alive.ts'
import { firmwareIn, missingForFirmware } from '../../protocol/firmware/build.ts'
import { firmwareDevice } from '../../protocol/firmware/device.ts'
import { type OnEnd, temporaryFolder } from '../../support/folder.ts'
import { startTestHub } from '../../support/hub.ts'
import { makeCertificate } from '../../support/processes/certificate.ts'
import { findProgram } from '../../support/processes/program.ts'
import { until } from '../../support/wait.ts'
import { openShop } from './c/shop.ts'

const SENTENCE = 'Đã nhận năm mươi nghìn đồng'
/** A second of the DAC. */
const SECOND_BYTES = 8_000

/** A build for tests: its loop can be made to hang. */
const FAULTS = ['FAULTS=1']

/** A shop whose device is connected and registered. */
async function openFirmwareShop(onEnd: OnEnd, parts: readonly string[] = []) {
  const shop = await openShop(onEnd)
  const speaker = await firmwareDevice({ ...shop.device, url: shop.place.url, parts }, onEnd)
  speaker.device.powerOn()
  await speaker.next('connected')
  const store = await shop.register(speaker)
  await until('the name of the shop', () => speaker.all('profile').some(({ name }) => name !== ''))
  return { ...shop, store, speaker }
}

describe.skipIf(missingForFirmware() !== undefined)(
  'the firmware in the emulator at a real hub',
  { concurrent: true },
  () => {
    // A build blocks this process, and the modules of the devices that run in it would not answer.
    beforeAll(async () => {
      for (const parts of [[], FAULTS]) await firmwareIn(temporaryFolder(afterAll), parts)
    })

    it('is registered by its code, shows the QR, and speaks the payment', async ({ onTestFinished }) => {
      const { speaker, store, partner, pay, untilStage } = await openFirmwareShop(onTestFinished)
      expect(speaker.all('boot')).toEqual([expect.objectContaining({ reset: 'power' })])
      const bill = {
        ...{ storeId: store.id, billNumber: 'HD001', transactionAmount: '50000' },
        qrcode: 'a payment QR',
      }
      expect((await partner.call('POST', '/payment/dynamic-qr', bill)).status).toBe(201)
      expect(await speaker.next('qr')).toMatchObject({ qr: 'a payment QR', amount: '50000', bill: 'HD001' })
      await pay('FT0001', '50000', { billNumber: 'HD001' })
      expect(await speaker.next('announce')).toMatchObject({ amount: '50000', text: SENTENCE })
      await untilStage('FT0001', 'played')
      expect(speaker.heardBytes()).toBeGreaterThan(SECOND_BYTES)
      await speaker.device.switchOff()
      expect(speaker.lines.at(-1)).toMatchObject({ event: 'power', on: false, why: 'off' })
      expect(speaker.mistakes()).toEqual([])
    })

    it('sb/1 12.2: killed in its sentence, it does not say it again, and shows what it has missed', async ({
      onTestFinished,
    }) => {
      const { clock, speaker, pay, untilStage } = await openFirmwareShop(onTestFinished)
      await pay('FT0001', '50000')
      await speaker.next('announce')
      await speaker.device.cutPower()
      expect(speaker.all('played')).toEqual([])
      await pay('FT0002', '70000')
      await clock.wind(121_000)
      speaker.device.powerOn()
      expect(await speaker.next('missed')).toMatchObject({ count: 1, amount: '70000' })
      await pay('FT0003', '90000')
      await untilStage('FT0003', 'played')
      expect(speaker.all('announce').map(({ amount }) => amount)).toEqual(['50000', '90000'])
    })

    it('speaks a sentence to its end while the loop is busy, as in a TLS handshake', async ({
      onTestFinished,
    }) => {
      const { speaker, pay, untilStage } = await openFirmwareShop(onTestFinished, FAULTS)
      await pay('FT0001', '50000')
      await speaker.next('announce')
      speaker.device.hang()
      expect(await speaker.next('boot', 2)).toMatchObject({ reset: 'watchdog' })
      const wholeBytes = speaker.heardBytes()
      await speaker.next('connected', 2)
      await pay('FT0002', '50000')
      await untilStage('FT0002', 'played')
      await until('the same sentence', () => speaker.heardBytes() === 2 * wholeBytes)
    })

    it('sb/1 12.3: starts with what it has played after its flash was torn at any write', async ({
      onTestFinished,
    }) => {
      const { speaker, pay, untilStage } = await openFirmwareShop(onTestFinished)
      for (let cut = 1; cut <= 4; cut += 1) {
        await speaker.device.cutPower()
        speaker.device.powerOn({ cut })
        await pay(`FT000${cut}`, `${cut}0000`)
        await until('the torn write', () => !speaker.device.isOn)
        expect(speaker.lines.at(-1)).toMatchObject({ event: 'power', why: 'torn' })
        speaker.device.powerOn()
        // The hub's clock stands still, and with it the allowance of requests: wait for the device first.
        await until('the sentence', () =>
          speaker
            .all('announce')
            .some(
              ({ amount, n }) => amount === `${cut}0000` && speaker.all('played').some((it) => it.n === n),
            ),
        )
        await untilStage(`FT000${cut}`, 'played')
      }
      const said = speaker.all('announce').map(({ n }) => n)
      expect(said).toEqual([...new Set(said)])
      expect(speaker.all('broken')).toEqual([])
    })

    it('ends with the process that runs it, even when that is killed', async ({ onTestFinished }) => {
      const { device, place } = await openShop(onTestFinished)
      const { serial, key } = device
      const args = ['--import', 'tsx', 'simulator/firmware/main.ts', '--headless', '--serial', serial]
      const launcher = spawn(
        process.execPath,
        [...args, '--url', place.url, '--state', temporaryFolder(onTestFinished)],
        {
          env: { ...process.env, SPEAKER_KEY: key },
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      )
      let printed = ''
      launcher.stdout.on('data', (chunk: Buffer) => {
        printed += `${chunk}`
      })
      await until('the session', () => printed.includes('"connected"'))
      const children = readFileSync(`/proc/${launcher.pid}/task/${launcher.pid}/children`, 'utf8')
        .trim()
        .split(' ')
      expect(children).toHaveLength(2)
      launcher.kill('SIGKILL')
      await until('the end of the emulator', () => children.every((pid) => !isAlive(Number(pid))))
    })
    it.skipIf(findProgram('openssl') === undefined)(
      'sb/1 18.9: connects by the TLS of its module, and only to the hub that the certificate names',
      async ({ onTestFinished }) => {
        const [of, other] = ['DNS:localhost', 'DNS:hub.example'].map((name) =>
          makeCertificate(onTestFinished, name),
        )
        const env = (files: typeof of) => ({
          ...{ HUB_MQTT_PORT: 'off', HUB_MQTT_TLS_PORT: '0' },
          ...{ HUB_TLS_CERT: files?.certFile ?? '', HUB_TLS_KEY: files?.keyFile ?? '' },
        })
        const connects = async (certificate: typeof of, authority: typeof of) => {
          const hub = await startTestHub({ env: env(certificate), onEnd: onTestFinished })
          const files = new Map([['ca.pem', Buffer.from(authority?.cert ?? '')]])
          const url = `mqtts://localhost:${new URL(String(hub.mqtts)).port}`
          const speaker = await firmwareDevice(
            { ...(await hub.device('SB-0001')), url, files },
            onTestFinished,
          )
          speaker.device.powerOn()
          return (
            await until('a result', () =>
              speaker.lines.find(({ event }) => ['connected', 'offline'].includes(event)),
            )
          ).event
        }
        expect(await connects(of, of)).toBe('connected')
        // A certificate of another authority, and one of the right authority for another name.
        expect(await connects(of, other)).toBe('offline')
        expect(await connects(other, other)).toBe('offline')
      },
    )
  },
)
