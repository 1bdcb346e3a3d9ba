import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { missingForCore, tasksOfC } from '../../protocol/c/build.ts'
import { idsIn, runKit } from '../../protocol/c/kit.ts'
import { startHubDouble } from '../../simulator/support/hub-double.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { openShop, registerAndPayBill, switchOnC } from './c/shop.ts'

const CAPS = 'screen,speaker,qr,rekey'
/** Where the tasks meet: sounds and packets at the same time, sessions that end, power cuts. */
const CASES = [
  ...[
    'session/goodbye',
    'ack/announce',
    'ack/identify',
    'ack/qr',
    'order/in-turn',
    'order/payment-overtakes',
  ],
  ...['dedupe/repeat-while-speaking', 'dedupe/cut-while-speaking', 'dedupe/power-cut-while-speaking'],
  ...['rekey/next-connect', 'rekey/after-what-waits', 'rekey/refused-falls-back', 'power/given-up'],
]

/** The sanitizers print what they find to standard error. */
describe.skipIf(missingForCore() !== undefined)('the device in C as tasks', () => {
  const programs = { thread: '', address: '' }
  beforeAll(async () => {
    programs.thread = (await tasksOfC('thread')).device
    programs.address = (await tasksOfC('address')).device
  })

  describe.each(['thread', 'address'] as const)('with the %s sanitizer', (sanitizer) => {
    it('is registered, shows the QR, and hears the payments: the hub has their receipts', async () => {
      const shop = await openShop()
      const { device, place, pay, untilStage } = shop
      const speaker = switchOnC(programs[sanitizer], device, place)
      await registerAndPayBill(shop, speaker)
      // As many as the core has room for, so packets come while it speaks.
      const ftCodes = Array.from({ length: 24 }, (_, index) => `FT1${index}`)
      for (const [index, ftCode] of ftCodes.entries()) {
        if (index % 8 === 0) await speaker.next('played', 1 + index)
        await pay(ftCode, '70000')
      }
      await speaker.next('played', 1 + ftCodes.length)
      for (const ftCode of ['FT0001', ...ftCodes]) await untilStage(ftCode, 'played')
      expect(speaker.all('announce')).toHaveLength(1 + ftCodes.length)
      expect(await speaker.kill('SIGTERM')).toMatchObject({ code: 0, stderr: '' })
    })

    it('sb/1 7.9: killed while it speaks and another payment waits: it says the first no more, and the second once', async () => {
      const { device, place, register, pay, untilStage } = await openShop()
      const slow = switchOnC(programs[sanitizer], device, { ...place, clipMs: 10_000 })
      await slow.next('connected')
      await register(slow)
      await pay('FT0001', '50000')
      await slow.next('announce')
      await pay('FT0002', '70000')
      await untilStage('FT0002', 'received')
      expect(await slow.kill('SIGKILL')).toMatchObject({ stderr: '' })
      expect(slow.all('played')).toEqual([])

      const again = switchOnC(programs[sanitizer], device, place)
      for (const ftCode of ['FT0001', 'FT0002']) await untilStage(ftCode, 'played')
      expect(again.all('announce').map(({ amount }) => amount)).toEqual(['70000'])
      expect(await again.kill('SIGTERM')).toMatchObject({ code: 0, stderr: '' })
    })
  })

  it('reads each of the packets that come at once from the one receive buffer', async () => {
    const device = { serial: 'SHOP-0042', key: Buffer.alloc(32, 5) }
    const hub = await startHubDouble(device)
    onTestFinished(() => hub.close())
    const minted = { ...device, key: device.key.toString('base64url') }
    const speaker = switchOnC(programs.thread, minted, { url: hub.url, state: temporaryFolder() })
    await speaker.next('connected')
    const names = Array.from({ length: 40 }, (_, index) =>
      `Shop ${index} ${'x'.repeat(5 * index)}`.slice(0, 100),
    )
    const ids = await Promise.all(names.map((name) => hub.send('profile', { name, qr: '' })))
    for (const id of ids) await hub.until(({ body }) => body.id === id && body.st === 'shown')
    // An ack may be here before the line that was printed first.
    await speaker.next('profile', names.length)
    expect(speaker.all('profile').map(({ name }) => name)).toEqual(names)
    expect(await speaker.kill('SIGTERM')).toMatchObject({ code: 0, stderr: '' })
  })

  it('passes the conformance kit, and the thread sanitizer finds nothing', async (context) => {
    const { cases, errors } = await runKit(context, CAPS, CASES, { program: programs.thread })
    const idsOf = idsIn(cases)
    expect(errors).toBe('')
    expect(idsOf('fail', 'warn', 'inconclusive')).toEqual([])
    expect(idsOf('pass')).toEqual(expect.arrayContaining(CASES))
  })
})
