import { onTestFinished } from 'vitest'
import { Box } from '../../../../simulator/boxes/box.ts'
import type { BoxLine } from '../../../../simulator/boxes/core/lines.ts'
import { type BoxKind, FIRMWARE } from '../../../../simulator/boxes/kinds.ts'
import { mintBox } from '../../../server/boxes/mint.ts'
import { LABEL } from '../../../server/storage/boxes.ts'
import { createShop } from '../../../server/storage/shop.ts'
import { configOf } from '../../../simulator/boxes/bench.ts'
import { signedCallback } from '../../../support/callback.ts'
import { createVirtualClock } from '../../../support/clock.ts'
import { partnerOf } from '../../../support/http/partner-client.ts'
import { startTestHub } from '../../../support/hub.ts'
import { until } from '../../../support/wait.ts'

/** A real hub that listens for boxes, on a clock that the test winds, and a partner. */
export async function openBoxHub(env: Record<string, string> = {}) {
  const clock = createVirtualClock()
  const hub = await startTestHub({ clock, env: { HUB_BOX_PORT: '0', ...env } })
  const partner = await partnerOf(hub)
  const shop = createShop(hub.storage)
  let payments = 0

  /** Adds a box and registers it for a shop by its label. */
  async function add(kind: BoxKind, serial = `BOX-${kind}`) {
    const made = await mintBox(hub.storage, kind, { serial, at: clock.now() })
    const { store, phoneNumber, rmCode } = shop.registration(partner.clientId, serial, {
      store: { terminalID: serial, phoneNumber: '0912345678' },
    })
    const body = { ...store, phoneNumber, rmCode, deviceSerial: serial, verificationCode: LABEL }
    const { status, body: answer } = await partner.call('POST', '/device/register', body)
    if (status !== 201) throw new Error(`not registered: ${JSON.stringify(answer)}`)
    return { ...made, serial }
  }

  /** A simulated box on a real connection, ready for payments. */
  async function start(kind: BoxKind, serial?: string) {
    const { login, serial: own } = await add(kind, serial)
    const lines: BoxLine[] = []
    const config = configOf({ ...login, serial: own, wordMs: 1 })
    const box = new Box({ firmware: FIRMWARE[kind], url: hub.box ?? '', config, random: () => 0 })
    onTestFinished(() => box.stop())
    box.subscribe((item) => {
      if (item.kind === 'event') lines.push(item.event)
    })
    box.start()
    const of = <E extends BoxLine['event']>(event: E) =>
      lines.filter((line): line is Extract<BoxLine, { event: E }> => line.event === event)
    await ready(() => of('connected').length, 1)
    return { box, of, serial: own }
  }

  /** Resolves when the box has subscribed so often and its session has begun. */
  async function ready(subscriptions: () => number, count: number) {
    await until('the subscription', () => subscriptions() >= count)
    await clock.wind(1_000)
  }

  async function pay(terminalID: string, amount = '50000') {
    payments += 1
    const ftCode = `FT${payments}`
    const callback = signedCallback(partner.clientSecret, { terminalID, transactionAmount: amount, ftCode })
    const { status } = await partner.call('POST', '/payment/callback', callback)
    if (status !== 200) throw new Error(`not recorded: ${status}`)
    return ftCode
  }

  async function trail(ftCode: string) {
    const view = await hub.storage.payments.findByFtCode(partner.clientId, ftCode)
    return view?.announcements[0]
  }

  const untilStage = (ftCode: string, stage: string) =>
    until(`the stage ${stage}`, async () => (await trail(ftCode))?.stage === stage && trail(ftCode))

  return { hub, clock, partner, add, start, ready, pay, trail, untilStage }
}
