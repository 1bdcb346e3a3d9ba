import type { z } from '@hono/zod-openapi'
import type { storeDto } from '../http/openapi/schemas.ts'
import type { Store } from './store.ts'

/** A store in the API's format: every value is a string. */
export function toStoreDto(store: Store): z.infer<typeof storeDto> {
  const { clientId: _clientId, userId: _userId, totalTransaction, totalAmount, ...fields } = store
  return { ...fields, totalTransaction: String(totalTransaction), totalAmount: String(totalAmount) }
}
