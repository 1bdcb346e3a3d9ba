import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../../../platform/error-text.ts'
import type { Speaker } from '../../../speaker/speaker.ts'
import { type PartnerClient, PartnerRefusal } from '../../hub/partner-client.ts'
import { nextEvent } from '../../hub/wait.ts'
import { withRetries } from './retry.ts'

/** A shop with one speaker, which payments can be made to. */
export interface Shop {
  /** The speaker's index in the fleet. */
  speaker: number
  terminalID: string
  bankCode: string
}

/** Shops that are asked for at once. A code takes two requests and a screen; the hub allows 50 requests a second. */
const AT_ONCE = 16
/** How often a speaker is tried, and after how long again: it may have lost its line meanwhile. */
const ATTEMPTS = 3
const AGAIN_AFTER_MS = 2_000
/** Errors that another attempt may mend: 409 offline, a display that failed, 504 no answer. */
const PASSING = new Set([409, 503, 504])

const BANK = {
  bankName: 'MB Bank',
  bankCode: 'MB',
  bankAccountNumber: '0123456789',
  bankAccountName: 'SIMULATED FLEET',
}
const KINDS = ['Phở', 'Bún Chả', 'Trà Sữa', 'Cà Phê', 'Bánh Mì', 'Tạp Hoá', 'Hoa Tươi', 'Nhà Thuốc']

/** Makes shops of speakers, in the order in which they come. */
export interface Shops {
  readonly ready: readonly Shop[]
  /** Speakers that wait for their shop, or whose shop is being asked for. */
  readonly waiting: number
  readonly failed: number
  /** Why the last one got no shop. */
  readonly lastFailure: string
  /** A speaker is on the line: it gets a shop, unless it has one or is getting one. `linked`: it is registered. */
  take(index: number, linked: boolean): void
  /** Takes no more. */
  stop(): void
}

/**
 * By the public API alone: a speaker that is registered already keeps its shop; for the others a code is sent,
 * read off the speaker's screen, and registered with.
 */
export function createShops(client: PartnerClient, speakers: readonly Speaker[]): Shops {
  const taken = new Set<number>()
  const queue: { index: number; linked: boolean }[] = []
  const ready: Shop[] = []
  let atWork = 0
  let failed = 0
  let lastFailure = ''
  let stopped = false

  async function work() {
    atWork += 1
    for (let next = queue.shift(); next && !stopped; next = queue.shift()) {
      const speaker = speakers[next.index]
      if (speaker) await open(speaker, next)
    }
    atWork -= 1
  }

  async function open(speaker: Speaker, { index, linked }: { index: number; linked: boolean }) {
    for (let attempt = 1; !stopped; attempt += 1) {
      try {
        const shop = linked ? await existingShop(client, speaker) : await register(client, speaker, index)
        ready.push({ speaker: index, ...shop })
        return
      } catch (error) {
        lastFailure = messageOf(error)
        const mayPass = !(error instanceof PartnerRefusal) || PASSING.has(error.status)
        if (attempt === ATTEMPTS || !mayPass) {
          failed += 1
          return
        }
        await sleep(AGAIN_AFTER_MS)
      }
    }
  }

  return {
    ready,
    get waiting() {
      return queue.length + atWork
    },
    get failed() {
      return failed
    },
    get lastFailure() {
      return lastFailure
    },
    take(index, linked) {
      if (stopped || taken.has(index)) return
      taken.add(index)
      queue.push({ index, linked })
      if (atWork < AT_ONCE) void work()
    },
    stop() {
      stopped = true
    },
  }
}

type Till = Omit<Shop, 'speaker'>

async function existingShop(client: PartnerClient, { serial }: Speaker): Promise<Till> {
  const [known] = await withRetries(client, () => client.stores(serial))
  if (!known) throw new Error(`${serial} is registered, and has no shop.`)
  return known
}

async function register(client: PartnerClient, speaker: Speaker, index: number): Promise<Till> {
  const { serial } = speaker
  const shown = nextEvent(speaker, 'show a code', (it) => (it.event === 'code' ? it.code : undefined))
  // Should the request fail, that is what is told: the code is then nobody's rejection.
  shown.catch(() => undefined)
  await withRetries(client, () => client.sendVerification(serial))
  const body = {
    ...{ deviceSerial: serial, terminalID: serial, verificationCode: await shown, ...BANK },
    phoneNumber: `09${String(index).padStart(8, '0')}`,
    storeName: `${KINDS[index % KINDS.length]} ${index + 1}`,
  }
  await withRetries(client, () => client.register(body))
  return { terminalID: serial, bankCode: BANK.bankCode }
}
