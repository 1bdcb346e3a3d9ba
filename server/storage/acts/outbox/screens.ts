import type { ScreenState } from '../../../announcements/ports.ts'
import type { StorageRules } from '../../rules.ts'
import {
  createScreenMapping,
  NOT_REGISTERED,
  SCREEN_BILLS,
  SCREEN_STORES,
  type ShownBillRow,
  type ShownStoreRow,
} from '../../shared/screen-mapping.ts'
import { type Act, type Engine, together } from '../act.ts'

/** A device whose screens are read. */
export interface ScreenOf {
  /** Its row id. */
  device: number
  isActive: boolean
  at: number
}

interface LinkRow {
  place: number
  id: string
  linkedAt: number
}

interface BillRow {
  place: number
  id: string
  paid: boolean | number
  shownUntil: number
  updatedAt: number
}

/** Reads what the screens of devices show. The rule is announcements/screen.ts. */
export function createReadScreens(
  { perRow, vault }: Pick<Engine, 'perRow' | 'vault'>,
  { chooseScreen }: Pick<StorageRules, 'chooseScreen'>,
) {
  const toScreen = createScreenMapping(vault)
  const readLinks = perRow(
    'outbox.screen links',
    { place: 'bigint', device: 'bigint' },
    (one, { rows }) =>
      `SELECT ${one.place} AS place, s.id, l.linked_at AS "linkedAt"
       FROM ${rows} device_stores l JOIN stores s ON s.number = l.store_number
       WHERE l.device_number = ${one.device}`,
  )
  const readBills = perRow(
    'outbox.screen bills',
    { place: 'bigint', storeId: 'text', at: 'bigint' },
    (one, { each }) =>
      `SELECT ${one.place} AS place, b.* FROM ${each} (
         SELECT id, paid_at IS NOT NULL AS paid, shown_until AS "shownUntil", updated_at AS "updatedAt" FROM bills
         WHERE store_id = ${one.storeId} AND shown_until > ${one.at} ORDER BY shown_until DESC LIMIT ${SCREEN_BILLS}
       ) b`,
  )
  const readStores = perRow(
    'outbox.screen stores',
    { id: 'text' },
    ({ id }, { rows }) =>
      `SELECT s.id, s.store_name AS name, s.static_qr_code AS qr FROM ${rows} stores s WHERE s.id = ${id}`,
  )
  // All that is shown of a bill at one moment: its amount and its QR code change together.
  const readShown = perRow(
    'outbox.screen shown bills',
    { id: 'text' },
    ({ id }, { rows }) =>
      `SELECT b.id, b.amount, b.bill_number AS "billNumber", b.qrcode, b.shown_until AS "shownUntil"
       FROM ${rows} bills b WHERE b.id = ${id}`,
  )

  return function* readScreens(wanted: readonly ScreenOf[]): Act<ScreenState[]> {
    const links = yield* readLinks<LinkRow>(wanted.map(({ device }, place) => ({ place, device })))
    const linksOf = Map.groupBy(links, ({ place }) => place)
    const linked = wanted.map(({ at }, place) => {
      const newest = (linksOf.get(place) ?? []).toSorted((a, b) => b.linkedAt - a.linkedAt)
      return newest.slice(0, SCREEN_STORES).map((link) => ({ ...link, storeId: link.id, at }))
    })
    const bills = yield* readBills<BillRow>(linked.flat())
    const billsOf = Map.groupBy(bills, ({ place }) => place)
    const chosen = wanted.map(({ isActive, at }, place) => {
      const current = (billsOf.get(place) ?? []).map((bill) => ({ ...bill, paid: Boolean(bill.paid) }))
      return chooseScreen(isActive, linked[place] ?? [], current, at)
    })
    const [stores, shown] = yield* together(
      readStores<ShownStoreRow>(chosen.flatMap(({ store }) => store ?? [])),
      readShown<ShownBillRow>(chosen.flatMap(({ bill }) => bill ?? [])),
    )
    const [storeOf, billOf] = [
      new Map(stores.map((row) => [row.id, row])),
      new Map(shown.map((row) => [row.id, row])),
    ]
    return chosen.map(({ store, bill, ...choice }) => {
      const row = store && storeOf.get(store.id)
      return row ? toScreen(row, bill && billOf.get(bill.id), choice) : NOT_REGISTERED
    })
  }
}
