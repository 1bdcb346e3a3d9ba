import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { builtCDevice, type CDevice, missingForC } from '../../protocol/c/build.ts'
import { until } from '../../support/wait.ts'
import { testCore } from './c/core.ts'
import { openShop, switchOnC } from './c/shop.ts'

const missing = missingForC()
if (missing !== undefined) process.stderr.write(`The device in C is not tested: ${missing}.\n`)

describe.skipIf(missing !== undefined)('the device in C', () => {
  let c: CDevice
  beforeAll(async () => {
    c = await builtCDevice()
  })

  testCore((cases) => c.run(cases))

  describe('its store in flash', () => {
    let printed: Record<string, unknown>[]
    beforeAll(() => {
      const { status, stdout, stderr } = spawnSync(c.powerCuts, { encoding: 'utf8' })
      expect([status, stderr]).toEqual([0, ''])
      const lines = stdout.trim().split('\n')
      printed = lines.map((line) => Object(JSON.parse(line)))
    })

    it('sb/1 12.3: reads the old or the new record after a power cut at every step, on every kind of flash', () => {
      const flashes = printed.filter(({ flash }) => flash !== undefined)
      expect(new Set(flashes.map(({ unitBytes }) => unitBytes))).toEqual(new Set([1, 2, 4, 8, 16, 32]))
      expect(flashes.map(({ wrong }) => wrong)).toEqual(Array(13).fill(0))
      for (const { cuts, old, new: newer } of flashes) expect(Number(old) + Number(newer)).toBe(cuts)
      // The cuts reach both outcomes, and most lives have an erase.
      expect(flashes.filter((one) => Number(one.new) > 50)).toHaveLength(10)
      expect(flashes.filter(({ erases }) => erases !== 0)).toHaveLength(12)
    })

    it('skips a page that fails, keeps the last value when the flash is worn out, and counts the erases', () => {
      const worn = (name: string) => printed.find(({ wornOut }) => wornOut === name)
      const erases = Number(worn('nothing')?.erases)
      for (const name of ['nothing', 'erase of one page', 'one page', 'one page, unreported']) {
        const counted = Number(worn(name)?.erases)
        expect(worn(name)).toMatchObject({ state: 'read', isLast: true, written: 1_000 })
        expect(worn(name)?.wear).toBe(Math.ceil(counted / 3))
        if (name.startsWith('one page')) expect(counted).toBeGreaterThan(1.4 * erases)
        else expect(counted).toBe(erases)
      }
      expect(worn('erase of both pages')).toMatchObject({ state: 'read', isLast: true })
      expect(worn('all')).toMatchObject({ state: 'read', isLast: true, written: 0 })
    })

    it('sb/1 12.4, sb/1 12.5: starts as new after any number of cut first starts, but not if a record is lost', () => {
      expect(printed.slice(-2)).toEqual([
        { firstStartsCut: 20, start: 'blank' },
        {
          ...{ blank: 'blank', written: 'read', bitsFlipped: 'damaged', zeros: 'damaged' },
          ...{ unreadable: 'damaged', firstUnreadable: 'damaged', notWritable: 'broken', noFlash: 'broken' },
        },
      ])
    })
  })

  describe('at a real hub', () => {
    it('is registered by its code, shows the QR, and hears the payment: the hub has its receipt', async () => {
      const { device, place, partner, register, pay, untilStage } = await openShop()
      const speaker = switchOnC(c.device, device, place)
      expect(await speaker.next('connected')).toMatchObject({ linked: false })
      const store = await register(speaker)
      await until('the name of the shop', () => speaker.all('profile').some(({ name }) => name !== ''))
      const bill = {
        storeId: store.id,
        billNumber: 'HD001',
        transactionAmount: '50000',
        qrcode: 'a payment QR',
      }
      expect((await partner.call('POST', '/payment/dynamic-qr', bill)).status).toBe(201)
      expect(await speaker.next('qr')).toMatchObject({ qr: 'a payment QR', amount: '50000', bill: 'HD001' })
      await pay('FT0001', '50000', { billNumber: 'HD001' })
      expect(await speaker.next('paid')).toMatchObject({ bill: 'HD001' })
      expect(await speaker.next('announce')).toMatchObject({
        amount: '50000',
        text: 'Đã nhận năm mươi nghìn đồng',
      })
      await untilStage('FT0001', 'played')
      expect(speaker.all('announce')).toHaveLength(1)
      expect(await speaker.kill('SIGTERM')).toMatchObject({ code: 0, stderr: '' })
    })

    it('sb/1 7.9: killed while it speaks and another payment waits: it says the first no more, and the second once', async () => {
      const { clock, device, place, register, pay, untilStage } = await openShop()
      const slow = switchOnC(c.device, device, { ...place, clipMs: 10_000 })
      await slow.next('connected')
      await register(slow)
      await pay('FT0001', '50000')
      await slow.next('announce')
      await pay('FT0002', '70000')
      await untilStage('FT0002', 'received')
      // Not played yet: the hub sends both again, and is told that they have come.
      await clock.wind(3_000)
      await slow.next('repeat', 2)
      expect(slow.all('repeat').map(({ t, stage }) => [t, stage])).toEqual([
        ['announce', 'received'],
        ['announce', 'received'],
      ])
      await slow.kill('SIGKILL')
      expect(slow.all('played')).toEqual([])

      const again = switchOnC(c.device, device, place)
      await untilStage('FT0002', 'played')
      // Nobody has acked the first as played: the birth says so.
      await untilStage('FT0001', 'played')
      expect(again.all('announce').map(({ amount }) => amount)).toEqual(['70000'])
    })

    it('sb/1 13.2: does not try a wrong key again for 15 minutes', async () => {
      const { device, place } = await openShop()
      const speaker = switchOnC(c.device, { ...device, key: 'A'.repeat(43) }, place)
      const { code, retryInMs } = await speaker.next('refused')
      expect(code).toBe(4)
      expect(retryInMs).toBeGreaterThanOrEqual(900_000)
    })

    it('sb/1 12.3, sb/1 12.4: survives a torn write, refuses a damaged store, and is one process alone', async () => {
      const { device, place } = await openShop()
      const file = `${place.state}/${device.serial}.sb1`
      writeFileSync(`${file}.tmp`, Buffer.alloc(1_000, 0xff))
      const speaker = switchOnC(c.device, device, place)
      await speaker.next('connected')
      expect(await switchOnC(c.device, device, place).ended).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('Another process is this device'),
      })
      await speaker.kill('SIGKILL')
      for (const content of [Buffer.alloc(8_192), Buffer.alloc(1_000, 0xff)]) {
        writeFileSync(file, content)
        expect(await switchOnC(c.device, device, place).ended).toMatchObject({
          code: 1,
          stderr: expect.stringContaining('damaged'),
        })
      }
    })
  })
})
