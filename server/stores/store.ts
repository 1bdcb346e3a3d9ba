/** A shop's till as a partner registered it. Text fields that were never given are empty strings. */
export interface Store {
  id: string
  clientId: string
  userId: string
  storeName: string
  ownerName: string
  identityNumber: string
  bankName: string
  bankCode: string
  bankAccountNumber: string
  bankAccountName: string
  phoneNumber: string
  terminalID: string
  terminalName: string
  staticQRCode: string
  /** How many payments, each counted once. */
  totalTransaction: bigint
  /** Their sum in đồng. */
  totalAmount: bigint
}

/** What a payment needs of its store. */
export type PaidStore = Pick<
  Store,
  'id' | 'bankName' | 'bankCode' | 'bankAccountNumber' | 'bankAccountName' | 'staticQRCode'
>

/** The fields that a partner may set. */
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

/** A change to a store: what is left out stays as it is. */
export type StoreChange = { [F in StoreField]?: string | undefined }
