import { buildDynamicQr } from '../../protocol/vietqr/build.ts'
import { parseVietQr } from '../../protocol/vietqr/parse.ts'
import type { Screens } from '../devices/ports.ts'
import type { Clock } from '../platform/clock.ts'
import { fieldError } from '../platform/errors.ts'
import type { Ids } from '../platform/ids.ts'
import type { StoreRecords } from '../stores/ports.ts'
import type { Store } from '../stores/store.ts'
import { BILL_SHOWN_MS, type QrRecord } from './bill.ts'
import type { BillRecords } from './ports.ts'
import { qrRecord } from './settle.ts'

export interface DynamicQrRequest {
  storeId: string
  billNumber: string
  transactionAmount: string
  /** When empty, the hub builds the code from the store's static QR. */
  qrcode: string
}

/** Stores a bill and shows its QR on the store's speakers, for 15 minutes or until the bill is paid. */
export function createDynamicQr(deps: {
  stores: StoreRecords
  bills: BillRecords
  screens: Screens
  clock: Clock
  ids: Ids
}) {
  return async function createDynamicQr(clientId: string, request: DynamicQrRequest): Promise<QrRecord> {
    const store = await deps.stores.find(clientId, request.storeId)
    if (!store) throw storeNotFound()
    const { storeId, billNumber, transactionAmount } = request
    const qrcode = request.qrcode === '' ? buildQr(store, request) : checkQr(request)
    const at = deps.clock.now()
    const bill = { id: deps.ids.uuid(), storeId, billNumber, amount: transactionAmount, qrcode }
    const result = await deps.bills.put(clientId, { ...bill, shownUntil: at + BILL_SHOWN_MS }, at)
    switch (result.kind) {
      case 'store_not_found':
        throw storeNotFound()
      case 'already_paid':
        throw fieldError('BILL_ALREADY_PAID', 'billNumber', 'is the number of a paid bill')
      case 'stored':
        for (const speaker of result.speakers) deps.screens.refresh(speaker.deviceId)
        return qrRecord(result.store, result.bill)
    }
  }
}

/** A given code is opaque, unless it parses as EMVCo: then its amount must be the bill's. */
function checkQr({ qrcode, transactionAmount }: DynamicQrRequest): string {
  const parsed = parseVietQr(qrcode)
  const amount = parsed.ok ? parsed.value.amount : undefined
  if (amount !== undefined && amount !== transactionAmount)
    throw fieldError('QR_AMOUNT_MISMATCH', 'qrcode', `carries the amount ${amount}, not transactionAmount`)
  return qrcode
}

function buildQr({ staticQRCode }: Store, { transactionAmount, billNumber }: DynamicQrRequest): string {
  if (staticQRCode === '')
    throw invalid('qrcode', 'is required, because the store has no static QR to build it from')
  const result = buildDynamicQr(staticQRCode, { amount: transactionAmount, bill: billNumber })
  if (result.ok) return result.value
  const { kind, message } = result.error
  throw kind === 'bad_bill'
    ? invalid('billNumber', `does not fit a QR that the hub builds (${message}): send qrcode`)
    : invalid('qrcode', `is required: the hub cannot build it from the store's static QR (${message})`)
}

const invalid = (field: string, issue: string) => fieldError('VALIDATION_FAILED', field, issue)
const storeNotFound = () => fieldError('BODY_STORE_NOT_FOUND', 'storeId', 'is not a store of yours')
