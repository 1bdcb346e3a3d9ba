import { expect } from 'vitest'
import type { Clock } from '../../../../server/platform/clock.ts'
import { signedCallback } from '../../../support/callback.ts'
import { createVirtualClock } from '../../../support/clock.ts'
import { type OnEnd, temporaryFolder } from '../../../support/folder.ts'
import { partnerOf, registerOver } from '../../../support/http/partner-client.ts'
import { startTestHub } from '../../../support/hub.ts'
import type { Minted } from '../../../support/mqtt/mqtt-device.ts'
import { start } from '../../../support/processes/process.ts'
import { until } from '../../../support/wait.ts'

/** The device in C as a process. */
export interface CProcess {
  /** What it has printed so far. */
  events(): Record<string, unknown>[]
  all(event: string): Record<string, unknown>[]
  /** Resolves with the first (or the nth) event of a kind. */
  next(event: string, nth?: number): Promise<Record<string, unknown>>
  kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<{ code: number | null; stderr: string }>
  ended: Promise<{ code: number | null; stderr: string }>
}

/** Switches the device on; it speaks a clip in `clipMs`. */
export function switchOnC(
  program: string,
  { serial, key }: Minted,
  { url, state, clipMs = 20, more = [] }: { url: string; state: string; clipMs?: number; more?: string[] },
): CProcess {
  const args = ['--serial', serial, '--url', url, '--state', state, '--clip-ms', String(clipMs), ...more]
  const running = start(program, args, { SPEAKER_KEY: key })
  const all = (event: string) => running.events().filter((one) => one.event === event)
  return {
    events: running.events,
    all,
    next: (event, nth = 1) => until(`"${event}" number ${nth}`, () => all(event)[nth - 1]),
    kill(signal) {
      running.child.kill(signal)
      return running.ended
    },
    ended: running.ended,
  }
}

/** A hub whose clock is wound by hand, a partner, and a device that is not switched on yet. */
export async function openShop(onEnd?: OnEnd) {
  const clock = createVirtualClock()
  return { clock, ...(await openShopAt(clock, onEnd)) }
}

/** A device that prints what is on its screen. */
type Shows = Pick<CProcess, 'all'>

/** The same with any clock. */
export async function openShopAt(clock: Clock, onEnd?: OnEnd) {
  const hub = await startTestHub({ clock, ...(onEnd && { onEnd }) })
  const device = await hub.device('SB-0001')
  const partner = await partnerOf(hub)
  const stageOf = async (ftCode: string): Promise<string | undefined> => {
    const { body } = await partner.call('GET', `/payment/transactions/${ftCode}`)
    return Object(body).announcements?.[0]?.stage
  }
  return {
    device,
    partner,
    /** Where the device connects, and the folder of what it keeps. */
    place: { url: hub.mqtt, state: temporaryFolder(onEnd) },
    register: (speaker: Shows) =>
      registerOver(partner, device.serial, () =>
        speaker
          .all('code')
          .map(({ code }) => String(code))
          .at(-1),
      ),
    async pay(ftCode: string, transactionAmount: string, changes = {}) {
      const body = signedCallback(partner.clientSecret, { ftCode, transactionAmount, ...changes })
      const { status } = await partner.call('POST', '/payment/callback', body)
      if (status !== 200) throw new Error(`the payment was answered with ${status}`)
    },
    stageOf,
    async untilStage(ftCode: string, stage: string) {
      await until(`${ftCode} to be ${stage}`, async () => (await stageOf(ftCode)) === stage)
    },
  }
}

/** The device connects, is registered by its code, shows the QR of a bill, and shows it as paid: FT0001, 50,000 dong. */
export async function registerAndPayBill(
  { partner, register, pay }: Awaited<ReturnType<typeof openShop>>,
  speaker: CProcess,
): Promise<void> {
  expect(await speaker.next('connected')).toMatchObject({ linked: false })
  const store = await register(speaker)
  await until('the name of the shop', () => speaker.all('profile').some(({ name }) => name !== ''))
  const bill = { storeId: store.id, billNumber: 'HD001', transactionAmount: '50000', qrcode: 'a payment QR' }
  expect((await partner.call('POST', '/payment/dynamic-qr', bill)).status).toBe(201)
  expect(await speaker.next('qr')).toMatchObject({ qr: 'a payment QR', amount: '50000', bill: 'HD001' })
  await pay('FT0001', '50000', { billNumber: 'HD001' })
  expect(await speaker.next('paid')).toMatchObject({ bill: 'HD001' })
}
