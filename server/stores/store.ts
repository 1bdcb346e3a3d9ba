/** The fields that a partner may change. */
export const STORE_FIELDS = [
  'storeName',
  'ownerName',
  'identityNumber',
  'bankName',
  'bankCode',
  'bankAccountNumber',
  'bankAccountName',
  'phoneNumber',
  'terminalID',
  'terminalName',
  'staticQRCode',
] as const

export type StoreField = (typeof STORE_FIELDS)[number]

/** A till of a shop, as its partner registered it. A text that was never set is an empty string. */
export interface Store extends Record<StoreField, string> {
  id: string
  clientId: string
  userId: string
  /** The number of payments. */
  totalTransaction: bigint
  /** The sum of the payments in đồng. */
  totalAmount: bigint
}

/** The fields of a store that a payment's answer contains. */
export type PaidStore = Pick<
  Store,
  'id' | 'bankName' | 'bankCode' | 'bankAccountNumber' | 'bankAccountName' | 'staticQRCode'
>

/** A change to a store; absent fields stay unchanged. */
export type StoreChange = { [F in StoreField]?: string | undefined }
