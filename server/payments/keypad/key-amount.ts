import { AMOUNT_PATTERN } from '../../../protocol/money/amount.ts'
import { buildDynamicQr } from '../../../protocol/vietqr/build.ts'
import type { KeyedRecords } from '../../devices/ports.ts'
import type { Clock } from '../../platform/clock.ts'
import { HubError } from '../../platform/errors.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Store } from '../../stores/store.ts'
import { BILL_SHOWN_MS } from '../bill.ts'
import type { createDynamicQr } from '../create-dynamic-qr.ts'

/** What became of an amount from a keypad. */
export type KeyedAnswer =
  /** The hub has made a bill of this number, whose code the device shows. */
  | { kind: 'shown'; billNumber: string }
  /** The partner was asked by the event `amount.keyed`. */
  | { kind: 'asked' }
  /** The device has no partner, or is locked; or it is no amount. */
  | { kind: 'refused' }

interface Deps {
  keyed: KeyedRecords
  createDynamicQr: ReturnType<typeof createDynamicQr>
  clock: Pick<Clock, 'now'>
  ids: Pick<Ids, 'commandId'>
}

/** Bill numbers of a QR have 25 characters at most: the first two of a ULID stay the same for 34 years. */
const numberOf = (id: string) => `K${id.slice(2)}`

/**
 * An amount that somebody has keyed in at a device, by the id of that request: a repeat makes no other bill and no other
 * event. A device with one shop, from whose static QR a code can be built, shows a bill that the hub makes itself.
 */
export function keyAmount({ keyed, createDynamicQr, clock, ids }: Deps) {
  return async function keyAmount(deviceId: string, requestId: string, amount: string): Promise<KeyedAnswer> {
    const device = AMOUNT_PATTERN.test(amount) ? await keyed.shopsOf(deviceId) : undefined
    if (!device) return { kind: 'refused' }
    const { clientId, stores } = device
    const keyedId = numberOf(ids.commandId())
    const storeId = shopWithCode(stores, amount, keyedId)
    const at = clock.now()
    const asked = { deviceId, requestId, amount, keyedId, storeId, expiresAt: at + BILL_SHOWN_MS }
    const known = await keyed.key(clientId, asked, at)
    if (!known) return { kind: 'refused' }
    if (known.storeId === undefined) return { kind: 'asked' }
    const { keyedId: billNumber, storeId: paidTo } = known
    const bill = { storeId: paidTo, billNumber, transactionAmount: amount, qrcode: '' }
    // Also at a repeat: the hub may have stopped between the two, and the same number is the same bill.
    await createDynamicQr(clientId, bill).catch((error: unknown) => {
      if (!(error instanceof HubError && error.kind === 'BILL_ALREADY_PAID')) throw error
    })
    return { kind: 'shown', billNumber }
  }
}

function shopWithCode(stores: readonly Store[], amount: string, bill: string): string | undefined {
  const [store, ...others] = stores
  if (!store || others.length > 0) return undefined
  return buildDynamicQr(store.staticQRCode, { amount, bill }).ok ? store.id : undefined
}
