import { writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { builtCDevice, type CDevice, missingForC } from '../../protocol/c/build.ts'
import { openShop, registerAndPayBill, switchOnC } from './c/shop.ts'

const missing = missingForC()
if (missing !== undefined) process.stderr.write(`The device in C is not tested: ${missing}.\n`)

describe.skipIf(missing !== undefined)('the device in C at a real hub', () => {
  let c: CDevice
  beforeAll(async () => {
    c = await builtCDevice()
  })

  it('is registered by its code, shows the QR, and hears the payment: the hub has its receipt', async () => {
    const shop = await openShop()
    const { device, place, untilStage } = shop
    const speaker = switchOnC(c.device, device, place)
    await registerAndPayBill(shop, speaker)
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
