import type { Clock } from '../../../platform/clock.ts'
import type { FleetDevice } from '../../fleet/devices/devices.ts'
import { ftCodes } from '../../fleet/pay/ft-codes.ts'
import { steadyLoad } from '../../fleet/pay/load.ts'
import { createProcessor, type Processor } from '../../fleet/pay/processor.ts'
import { createShops, type Shops } from '../../fleet/pay/shops.ts'
import { createFleet, type Fleet } from '../../fleet/run/fleet.ts'
import type { Credentials } from '../../hub/hub-command.ts'
import { createPartnerClient, type PartnerClient } from '../../hub/partner-client.ts'
import type { Accounts } from '../model/accounts.ts'
import { type Balancer, openBalancer } from './balancer.ts'
import type { ClusterHub } from './cluster-hub.ts'

/** Speakers that start to connect per second. */
const CONNECT_RATE = 100
/** A frozen hub answers nothing: the processor asks the next one after this time. */
const ANSWER_WITHIN_MS = 5_000

/** What stands before the hubs: the balancer, the speakers with their shops, and the payment processor. */
export interface Line {
  balancer: Balancer
  client: PartnerClient
  fleet: Fleet
  shops: Shops
  processor: Processor
}

export interface LineOptions {
  hubs: readonly ClusterHub[]
  devices: readonly FleetDevice[]
  partner: Credentials
  accounts: Accounts
  /** Payments per second. */
  perSecond: number
  clock: Clock
  random: () => number
}

/** Opens the balancer. Speakers do not connect before `startSpeakers`. */
export async function openLine(options: LineOptions): Promise<Line> {
  const { hubs, devices, partner, accounts, perSecond, clock, random } = options
  const balancer = await openBalancer(
    hubs.map(({ http, mqtt, admin }) => ({ http, mqtt, health: `${admin}/healthz` })),
  )
  const { clientId, clientSecret } = partner
  const client = createPartnerClient(() => balancer.nextHttp(), clientId, clientSecret, {
    answerWithinMs: ANSWER_WITHIN_MS,
    answered(base, path, status) {
      if (status !== 200 || path !== '/payment/callback') return
      hubs.find(({ http }) => http === base)?.callbacks.add(clock.now())
    },
  })
  const fleet = createFleet({ devices, url: balancer.url, connectRate: CONNECT_RATE, clock, random })
  const shops = createShops(client, fleet.speakers)
  const processor = createProcessor({
    ...{ client, ledger: accounts.ledger, shops, speakers: devices.length, load: steadyLoad(perSecond) },
    ...{ payments: undefined, clock, random, newFtCode: ftCodes(clock) },
  })
  return { balancer, client, fleet, shops, processor }
}

/** Connects the speakers, has them registered, and enters into the accounts what they say and show. */
export function startSpeakers({ fleet, shops }: Line, accounts: Accounts): void {
  fleet.start({
    announced: (index, sentence) => void accounts.ledger.heard(index, sentence),
    connected: (index, linked) => shops.take(index, linked),
  })
  for (const [index, speaker] of fleet.speakers.entries())
    speaker.subscribe((item) => {
      if (item.kind === 'event' && item.event.event === 'missed') accounts.shown(index, item.event.count)
    })
}
