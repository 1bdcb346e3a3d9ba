import { setTimeout as sleep } from 'node:timers/promises'
import { isBox } from '../../../boxes/box-speaker.ts'
import { messageOf } from '../../../platform/error-text.ts'
import type { Speaker } from '../../../speaker/speaker.ts'
import { type PartnerClient, PartnerRefusal } from '../../hub/partner-client.ts'
import { nextEvent } from '../../hub/wait.ts'
import { withRetries } from './retry.ts'

/** A shop with one speaker, ready for payments. */
export interface Shop {
  /** The speaker's index in the fleet. */
  speaker: number
  terminalID: string
  bankCode: string
  storeId: string
}

/** Concurrent registrations. Each takes two requests and a screen; the hub allows 50 requests a second. */
const AT_ONCE = 16
/** Attempts per speaker and the pause between them: it may have lost its link. */
const ATTEMPTS = 3
const AGAIN_AFTER_MS = 2_000
/** Statuses to retry: 409 offline or failed display, 503, 504 no answer. */
const PASSING = new Set([409, 503, 504])

const BANK = {
  bankName: 'MB Bank',
  bankCode: 'MB',
  bankAccountNumber: '0123456789',
  bankAccountName: 'SIMULATED FLEET',
}
const KINDS = ['Phở', 'Bún Chả', 'Trà Sữa', 'Cà Phê', 'Bánh Mì', 'Tạp Hoá', 'Hoa Tươi', 'Nhà Thuốc']

/** Registers speakers with shops, in the order of their welcome. */
export interface Shops {
  readonly ready: readonly Shop[]
  /** Speakers without a shop yet: queued or being registered. */
  readonly waiting: number
  readonly failed: number
  /** The error of the last failed registration. */
  readonly lastFailure: string
  /** Queues a connected speaker, once. `linked`: it is already registered. */
  take(index: number, linked: boolean): void
  /** Registers no further speakers. */
  stop(): void
}

/**
 * Uses only the public API. A registered speaker keeps its shop; for any other, requests a code, reads it from the
 * speaker's screen and registers with it; a box may say it, or have it on its label (`labelOf`). `isAway`: whether the partner API is unreachable at this moment; attempts that
 * fail then do not count.
 */
export function createShops(
  client: PartnerClient,
  speakers: readonly Speaker[],
  isAway: () => boolean = () => false,
  labelOf: (index: number) => string | undefined = () => undefined,
): Shops {
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
    for (let attempt = 1; !stopped; ) {
      try {
        // A box does not know whether it has a shop.
        const known = linked || isBox(speaker) ? await existingShop(client, speaker) : undefined
        if (linked && !known) throw new Error(`${speaker.serial} is registered but has no shop.`)
        const shop = known ?? (await register(client, speaker, index, labelOf(index)))
        ready.push({ speaker: index, ...shop })
        return
      } catch (error) {
        lastFailure = messageOf(error)
        const mayPass = !(error instanceof PartnerRefusal) || PASSING.has(error.status)
        const counts = !isAway()
        if (counts && (attempt === ATTEMPTS || !mayPass)) {
          failed += 1
          return
        }
        if (counts) attempt += 1
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

/** Undefined without one. */
async function existingShop(client: PartnerClient, { serial }: Speaker): Promise<Till | undefined> {
  const [known] = await withRetries(client, () => client.stores(serial))
  if (!known) return undefined
  const { id: storeId, terminalID, bankCode } = known
  return { storeId, terminalID, bankCode }
}

async function register(
  client: PartnerClient,
  speaker: Speaker,
  index: number,
  label: string | undefined,
): Promise<Till> {
  const { serial } = speaker
  const code = label ?? (await codeOf(client, speaker))
  const body = {
    ...{ deviceSerial: serial, terminalID: serial, verificationCode: code, ...BANK },
    phoneNumber: `09${String(index).padStart(8, '0')}`,
    storeName: `${KINDS[index % KINDS.length]} ${index + 1}`,
  }
  const { storeId } = await withRetries(client, () => client.register(body))
  return { storeId, terminalID: serial, bankCode: BANK.bankCode }
}

/** The code that the speaker shows or says. */
async function codeOf(client: PartnerClient, speaker: Speaker): Promise<string> {
  const shown = nextEvent(speaker, 'show a code', (it) => (it.event === 'code' ? it.code : undefined))
  // If the request fails, its error is reported; this promise must not become an unhandled rejection.
  shown.catch(() => undefined)
  await withRetries(client, () => client.sendVerification(speaker.serial))
  return shown
}
