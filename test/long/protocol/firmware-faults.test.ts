import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../server/platform/clock.ts'
import { NO_FAULTS } from '../../../simulator/firmware/modem/faults.ts'
import {
  isMischief,
  MISCHIEF,
  randomFaults,
  WEATHER,
  type WeatherName,
  without,
} from '../../../simulator/firmware/modem/mischief.ts'
import { systemClock as simulatorClock } from '../../../simulator/platform/clock.ts'
import { missingForFirmware } from '../../protocol/firmware/build.ts'
import { firmwareDevice } from '../../protocol/firmware/device.ts'
import { type Outcome, outcomeOf } from '../../protocol/firmware/paid.ts'
import type { OnEnd } from '../../support/folder.ts'
import { SEED } from '../../support/seed.ts'
import { waitUntil } from '../../support/wait.ts'
import { openShopAt } from '../../whole/protocol/c/shop.ts'

/** How long a state lasts: longer than it takes to find that a line is dead (keepalive and PINGRESP, sb/1 1.6). */
const LASTS_MS = 100_000
/** At once while it is sent, while it is acked, and while it is spoken. */
const MOMENTS_MS = [0, 30, 300, 1_500]
const PAYMENTS = 40
const FAULT_EVERY_MS = 4_000

async function openRegistered(onEnd: OnEnd) {
  const shop = await openShopAt(systemClock, onEnd)
  const speaker = await firmwareDevice({ ...shop.device, url: shop.place.url }, onEnd)
  speaker.device.powerOn()
  await speaker.next('connected')
  await shop.register(speaker)
  return { shop, speaker }
}

const FAULTS = [...Object.keys(MISCHIEF), ...Object.keys(WEATHER)]

describe.skipIf(missingForFirmware() !== undefined)(
  'the firmware with a module that fails',
  { concurrent: true },
  () => {
    it.for(FAULTS)('%s: a payment is spoken once, or missed', async (fault, { onTestFinished }) => {
      const { shop, speaker } = await openRegistered(onTestFinished)
      const { modem } = speaker.device
      for (const [index, momentMs] of MOMENTS_MS.entries()) {
        const payment = { ftCode: `FT000${index}`, amount: `${index + 1}0000` }
        await shop.pay(payment.ftCode, payment.amount)
        await sleep(momentMs)
        if (isMischief(fault)) MISCHIEF[fault](modem, Math.random)
        else {
          modem.set(WEATHER[fault as WeatherName])
          await sleep(index === 0 ? LASTS_MS : 5_000)
          modem.set(without(fault as WeatherName))
        }
        const outcome = await outcomeOf(shop, speaker, payment)
        const story = speaker.dialogue.slice(-150).join('\n')
        if (outcome.stage === 'played') expect(outcome.spoken, story).toBe(1)
        else expect(outcome, story).toMatchObject({ spoken: 0, stage: 'expired' })
        if (outcome.stage !== 'played')
          expect(await waitUntil(() => speaker.all('missed').length > 0, 120_000)).toBe(true)
      }
      expect(speaker.all('boot')).toHaveLength(1)
    })

    it('random faults: each of many payments is spoken once, or missed', async ({ onTestFinished }) => {
      const { shop, speaker } = await openRegistered(onTestFinished)
      const said: string[] = []
      const stop = randomFaults(speaker.device.modem, {
        ...{ clock: simulatorClock, seed: SEED, everyMs: FAULT_EVERY_MS },
        onFault: (what) => said.push(what),
      })
      onTestFinished(stop)
      const payments = Array.from({ length: PAYMENTS }, (_, index) => ({
        ftCode: `FT1${index}`,
        amount: `${1000 + index}`,
      }))
      for (const { ftCode, amount } of payments) {
        await shop.pay(ftCode, amount)
        await sleep(3_000)
      }
      stop()
      speaker.device.modem.set(NO_FAULTS)
      const outcomes: Outcome[] = []
      for (const payment of payments) outcomes.push(await outcomeOf(shop, speaker, payment))
      const story = `seed ${SEED}: ${said.join(', ')}\n${speaker.dialogue.slice(-150).join('\n')}`
      const isRight = ({ spoken, stage }: Outcome) =>
        stage === 'played' ? spoken === 1 : stage === 'expired' && spoken === 0
      expect(
        outcomes.filter((outcome) => !isRight(outcome)),
        story,
      ).toEqual([])
      expect(speaker.all('boot')).toHaveLength(1)
    })
  },
)
