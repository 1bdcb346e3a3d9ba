import { z } from '@hono/zod-openapi'
import { story } from '../http/openapi/examples/story.ts'
import * as field from '../http/openapi/fields.ts'
import { listOf, paging } from '../http/openapi/lists.ts'
import { storeDto } from '../http/openapi/schemas.ts'
import { plainName } from './plain-name.ts'
import { STORE_FIELDS, type Store } from './store.ts'

/** The body of /partner/store/{storeId}. */
export const changeDto = z
  .object({
    storeName: field.storeName.optional(),
    ownerName: field.named("The owner's name.", story.ownerName).optional(),
    identityNumber: field.identityNumber.optional(),
    bankName: field.bankName.optional(),
    bankCode: field.bankCode.optional(),
    bankAccountNumber: field.bankAccountNumber.optional(),
    bankAccountName: field.bankAccountName.optional(),
    phoneNumber: field.phoneNumber.optional(),
    terminalID: field.terminalID.optional(),
    terminalName: field.named('A name for the till.', story.terminalName).optional(),
    staticQRCode: field.staticQRCode.optional(),
  })
  .refine((change) => STORE_FIELDS.some((name) => change[name] !== undefined), {
    path: ['body'],
    message: `must have at least one of ${STORE_FIELDS.join(', ')}`,
  })
  .openapi('UpdatePartnerStoreRequestDto', {
    description: 'The fields to change, at least one. Absent fields stay unchanged; null is refused.',
    anyOf: STORE_FIELDS.map((name) => ({ required: [name] })),
  })

export const storeParams = z.object({
  storeId: z.string().openapi({
    description: 'The id of the store, from the response of its registration.',
    format: 'uuid',
    examples: [story.storeId],
  }),
})

/** A store in the API's format: every value is a string. */
export function toStoreDto(store: Store): z.infer<typeof storeDto> {
  const { clientId: _clientId, userId: _userId, totalTransaction, totalAmount, ...fields } = store
  return { ...fields, totalTransaction: String(totalTransaction), totalAmount: String(totalAmount) }
}

export const listQuery = z.object({
  ...paging,
  terminalID: field.terminalID.optional().openapi({ description: 'Your id of the till.' }),
  storeName: field.storeName.refine(plainName, 'must not be marks alone').optional().openapi({
    description:
      'A part of the name, without regard to case and Vietnamese marks: `ca phe` finds `Quán Cà Phê`.',
  }),
})

export const storeListDto = listOf('StoreListDto', 'A page of stores.', storeDto)
