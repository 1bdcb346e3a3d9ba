import { z } from '@hono/zod-openapi'

/** The answers that several operations share, under the interface's names. */

export const storeDto = z
  .object({
    id: z.string(),
    storeName: z.string(),
    ownerName: z.string(),
    identityNumber: z.string(),
    bankName: z.string(),
    bankCode: z.string(),
    bankAccountNumber: z.string(),
    bankAccountName: z.string(),
    phoneNumber: z.string(),
    terminalID: z.string(),
    terminalName: z.string(),
    staticQRCode: z.string(),
    totalTransaction: z.string(),
    totalAmount: z.string(),
  })
  .openapi('PartnerStorePayloadDto')

export const deviceDto = z
  .object({
    id: z.string(),
    serial: z.string(),
    deviceName: z.string(),
    active: z.boolean(),
    connected: z.boolean(),
    partnerClientId: z.string(),
    rmCode: z.string(),
    stores: z.array(storeDto),
  })
  .openapi('PartnerDevicePayloadDto')

export const qrRecordDto = z
  .object({
    id: z.string(),
    bankName: z.string(),
    bankCode: z.string(),
    bankAccountNumber: z.string(),
    bankAccountName: z.string(),
    qrcode: z.string(),
    storeId: z.string(),
    billNumber: z.string(),
  })
  .openapi('CreateStoreQRResponseDto')

export const errorDto = z
  .object({
    code: z.int().openapi({ example: 40001 }),
    error: z.string().openapi({ example: 'VALIDATION_FAILED' }),
    message: z.string(),
    requestId: z.string(),
    details: z.array(z.object({ field: z.string(), issue: z.string() })),
  })
  .openapi('ErrorResponsePayloadDto')

/** A JSON body, as a request or an answer. */
export function json<T extends z.ZodType>(schema: T, description: string) {
  return { description, content: { 'application/json': { schema } } }
}

/** A required JSON request body. */
export function jsonRequest<T extends z.ZodType>(schema: T) {
  return { body: { required: true, content: { 'application/json': { schema } } } }
}
