import { once } from 'node:events'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { builtCCore, builtCDevice, type CCore, missingForC, missingForCore } from '../../protocol/c/build.ts'
import { startHubDouble } from '../../simulator/support/hub-double.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { start } from '../../support/processes/process.ts'
import { until } from '../../support/wait.ts'
import { PRODUCTS, toldBy } from './c/products.ts'

const KEY = Buffer.alloc(32, 5)
const DEVICE = ['--serial', 'SHOP-0042', '--key', KEY.toString('base64url')]

describe.skipIf(missingForCore() !== undefined)('the core in C as a part of a product', () => {
  let c: CCore
  beforeAll(async () => {
    c = await builtCCore()
  })

  it.each(PRODUCTS)('$name', ({ lines, tells }) => {
    const [printed = []] = c.run([lines])
    expect(toldBy(printed)).toEqual(tells)
  })

  it.each([29, 901])('sb/1 8.9: does not start with telemetry every %i s', (seconds) => {
    const device = PRODUCTS[0]?.lines[0] ?? ''
    expect(c.run([[`product ${seconds} hub`, device]])).toEqual([[{ error: 'no such device' }]])
  })
})

describe.skipIf(missingForC() !== undefined)('the device in C as a part of a product', () => {
  it('sb/1 8.6, sb/1 11.1: the program obeys its buttons and its hardware, and counts its crashes', async () => {
    const hub = await startHubDouble({ serial: 'SHOP-0042', key: KEY })
    onTestFinished(() => hub.close())
    const state = temporaryFolder()
    const { device } = await builtCDevice()
    const switchOn = (...more: string[]) =>
      start(device, [...DEVICE, '--url', hub.url, '--state', state, '--inputs', ...more])
    const first = switchOn('--reset', 'fault', '--clock', 'told', '--telemetry-s', '900')
    const { body: birth } = await hub.until(({ kind }) => kind === 'birth')
    expect(Math.abs(Number(birth.at) - Date.now() / 1_000)).toBeLessThan(600)
    const { body: telemetry } = await hub.until(({ kind }) => kind === 'telemetry')
    expect(telemetry).toMatchObject({ volume: 80, health: { reset: 'fault', crashes: 1 } })
    first.child.stdin.write('b80\ns-71\n-l')
    const { body } = await hub.until(({ kind, body }) => kind === 'settings' && body.lang === 'en')
    expect(body).toMatchObject({ volume: 70 })
    first.child.kill('SIGKILL')
    await once(first.child, 'close')

    const again = switchOn('--reset', 'watchdog')
    again.child.stdin.end('b7\ns-90\nc')
    const { body: second } = await hub.until(
      ({ kind, body }) => kind === 'telemetry' && Object(body.health).reset === 'watchdog',
    )
    expect(second).toMatchObject({ volume: 70, health: { crashes: 2 } })
    // The input has ended, and the device goes on.
    again.child.kill('SIGTERM')
    expect(await again.ended).toMatchObject({ code: 0, stderr: '' })
  })

  it('tells the hub soon that a charger is connected', async () => {
    const hub = await startHubDouble({ serial: 'SHOP-0042', key: KEY })
    onTestFinished(() => hub.close())
    const speaker = start((await builtCDevice()).device, [
      ...DEVICE,
      '--url',
      hub.url,
      '--state',
      temporaryFolder(),
      '--inputs',
    ])
    await until('a session', () => speaker.events().some(({ event }) => event === 'connected'))
    speaker.child.stdin.write('b7\ns-90\nc')
    const { body } = await hub.until(({ kind, body }) => kind === 'telemetry' && body.charging === true)
    expect(body).toMatchObject({ battery: 7, signal: -90, charging: true })
  })
})
