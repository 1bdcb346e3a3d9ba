import type { ScreenState } from '../../../../announcements/ports.ts'
import type { Vault } from '../../../../security/vault.ts'
import type { StorageRules } from '../../../rules.ts'
import {
  createScreenMapping,
  NOT_REGISTERED,
  SCREEN_BILLS,
  SCREEN_STORES,
  type ShownBillRow,
  type ShownStoreRow,
} from '../../../shared/screen-mapping.ts'
import type { Tx } from '../../engine/database.ts'
import { columns, groupBy } from '../../rows/columns.ts'

interface StoreRow extends ShownStoreRow {
  place: number
  active: boolean
  linkedAt: number
}

interface BillRow {
  place: number
  id: string
  paid: boolean
  shownUntil: number
  updatedAt: number
}

/** Reads what the screens of devices show. The rule is announcements/screen.ts. */
export type ReadScreens = (
  query: Tx['query'],
  wanted: readonly { deviceId: string; at: number }[],
) => Promise<ScreenState[]>

export function createReadScreens(
  vault: Vault,
  { chooseScreen }: Pick<StorageRules, 'chooseScreen'>,
): ReadScreens {
  const toScreen = createScreenMapping(vault)

  return async function readScreens(query, wanted) {
    const linked = `unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS w(device_id, shown_at, place)
       JOIN devices d ON d.id = w.device_id
       CROSS JOIN LATERAL (
         SELECT store_number, linked_at FROM device_stores WHERE device_number = d.number
         ORDER BY linked_at DESC LIMIT ${SCREEN_STORES}
       ) l
       JOIN stores s ON s.number = l.store_number`
    const values = columns(wanted, 'deviceId', 'at')
    const [stores, bills] = await Promise.all([
      query<StoreRow>(
        'outbox.screen stores',
        `SELECT w.place, d.active, l.linked_at AS "linkedAt", s.id, s.store_name AS name, s.static_qr_code AS qr
         FROM ${linked} ORDER BY l.linked_at DESC`,
        values,
      ),
      query<BillRow>(
        'outbox.screen bills',
        `SELECT w.place, b.id, b.paid_at IS NOT NULL AS paid, b.shown_until AS "shownUntil",
           b.updated_at AS "updatedAt"
         FROM ${linked}
         CROSS JOIN LATERAL (
           SELECT * FROM bills WHERE store_id = s.id AND shown_until > w.shown_at ORDER BY shown_until DESC LIMIT ${SCREEN_BILLS}
         ) b`,
        values,
      ),
    ])
    const [storesOf, billsOf] = [groupBy(stores, ({ place }) => place), groupBy(bills, ({ place }) => place)]
    const chosen = wanted.map(({ at }, index) => {
      const mine = storesOf.get(index + 1) ?? []
      const isActive = mine[0]?.active ?? false
      return chooseScreen(isActive, mine, billsOf.get(index + 1) ?? [], at)
    })
    const shown = await readShown(
      query,
      chosen.flatMap(({ bill }) => bill?.id ?? []),
    )
    return chosen.map(({ store, bill, ...choice }) =>
      store ? toScreen(store, bill && shown.get(bill.id), choice) : NOT_REGISTERED,
    )
  }
}

/** Reads all that is shown of a bill at one moment: its amount and its QR code change together. */
async function readShown(query: Tx['query'], billIds: readonly string[]): Promise<Map<string, ShownBillRow>> {
  if (billIds.length === 0) return new Map()
  const rows = await query<ShownBillRow>(
    'outbox.screen shown bills',
    `SELECT id, amount, bill_number AS "billNumber", qrcode, shown_until AS "shownUntil"
     FROM bills WHERE id = ANY($1::text[])`,
    [billIds],
  )
  return new Map(rows.map((row) => [row.id, row]))
}
