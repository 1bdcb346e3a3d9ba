import { dateIn, zoneDay } from '../../../server/platform/time/zone-day.ts'
import { HUB } from '../../../server/security/actor.ts'
import type { Storage } from '../../../server/storage/ports.ts'
import { verbsOn } from '../../server/storage/statement-world.ts'
import { secretOf, webhookOf } from '../../server/storage/webhook-world.ts'
import { OPERATOR } from '../../support/actors.ts'
import { LOTUS } from '../../support/statements/banks.ts'
import { BANK, type Size } from '../growth/shop-rows.ts'
import type { Partner } from '../parts/market.ts'
import type { RunSql } from './fleet.ts'

const DAY_MS = 24 * 60 * 60_000
const ZONE = 'Asia/Ho_Chi_Minh'
/** One payment of so many is missing in the bank's statement. */
const MISSING_EVERY = 50
const WEBHOOKS = 10
const AUDIT_ROWS = 100_000
/** The clock of sums: no payment is too young for them. */
const SETTLED_MS = 60_000

/** What a filled hub has beside payments and devices. */
export interface Beside {
  date: string
  webhook: string
  statement: string
  payments: readonly string[]
}

/** Payments of a filled hub, which lie evenly in its days. */
export interface Past {
  partner: Partner
  size: Size
  days: number
  endedAt: number
}

/**
 * Fills what pages show beside payments and devices: sums of days, words of names, webhooks, audit rows, and the statement of
 * the last whole day for the one account of all shops.
 */
export async function fillBeside(storage: Storage, run: RunSql, past: Past): Promise<Beside> {
  const { clientId } = past.partner
  while (await storage.payments.sumUp(Date.now() + SETTLED_MS));
  while (await storage.stores.indexNames());
  for (let n = 0; n < WEBHOOKS; n += 1) {
    const disabled = { state: 'disabled', disabledReason: 'failing' } as const
    await storage.webhooks.add(HUB, webhookOf(clientId, `wh_${n}`, disabled), secretOf(`${n}`))
  }
  await run(`INSERT INTO audit (at, actor_kind, actor, action, subject, details)
    WITH RECURSIVE g (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM g WHERE i < ${AUDIT_ROWS})
    SELECT ${past.endedAt - DAY_MS} + i, 'operator', 'Minh', 'device.lock', 'SEED-' || (i % 5000), '{"from":"console"}' FROM g`)
  const date = dateIn(ZONE)(past.endedAt - DAY_MS)
  const { rows } = await storage.lists.payments.page({ clientId }, { limit: 200 })
  return {
    ...{ date, webhook: 'wh_0', payments: rows.map(({ payment }) => payment.id) },
    statement: await importStatement(storage, past, date),
  }
}

async function importStatement(storage: Storage, { partner, size, days, endedAt }: Past, date: string) {
  const verbs = verbsOn(storage, { at: Date.now() })
  const { name, profile } = LOTUS
  if (profile) await verbs.saveProfile(OPERATOR, name, profile)
  const { from, until } = zoneDay(date, ZONE)
  const startedAt = endedAt - days * DAY_MS
  const indexAt = (at: number) => Math.ceil(((at - startedAt) / (days * DAY_MS)) * size.payments)
  const [first, end] = [indexAt(from), indexAt(until)]
  const movements = Array.from({ length: end - first }, (_, n) => first + n)
    .filter((index) => index % MISSING_EVERY !== 0)
    .map((index) => ({
      ...({
        at: from + 1,
        amount: 50_000,
        direction: 'credit',
        reference: `FT${index}`,
        text: 'Thanh toan',
      } as const),
    }))
  return verbs.importStatement(OPERATOR, {
    ...{ clientId: partner.clientId, account: BANK.bank_account_number, profile: name },
    bytes: LOTUS.write(movements, 0),
  })
}
