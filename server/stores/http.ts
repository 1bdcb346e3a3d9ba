import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { HubError } from '../errors.ts'
import type { HttpEnv } from '../http/env.ts'
import { errors } from '../http/error-responses.ts'
import * as field from '../http/fields.ts'
import type { Guards } from '../http/guards.ts'
import { json, jsonRequest, storeDto } from '../http/schemas.ts'
import { STORE_FIELDS, type Store, type StoreChange } from './store.ts'
import { toStoreDto } from './to-dto.ts'

const changeDto = z
  .object({
    storeName: field.name.optional(),
    ownerName: field.name.optional(),
    identityNumber: field.identityNumber.optional(),
    bankName: field.name.optional(),
    bankCode: field.bankCode.optional(),
    bankAccountNumber: field.bankAccountNumber.optional(),
    bankAccountName: field.name.optional(),
    phoneNumber: field.phoneNumber.optional(),
    terminalID: field.reference.optional(),
    terminalName: field.name.optional(),
    staticQRCode: field.qrText.optional(),
  })
  .openapi('UpdatePartnerStoreRequestDto')

/** PUT /partner/store/{storeId} */
export function storeRoutes(
  app: OpenAPIHono<HttpEnv>,
  guards: Guards,
  verbs: { updateStore: (clientId: string, storeId: string, change: StoreChange) => Promise<Store> },
) {
  const update = createRoute({
    method: 'put',
    path: '/partner/store/{storeId}',
    tags: ['Partner Store'],
    summary: 'Update store information',
    security: [{ bearer: [] }],
    middleware: guards.partnerWithBody.middleware,
    request: { params: z.object({ storeId: z.string() }), ...jsonRequest(changeDto) },
    responses: {
      200: json(storeDto, 'The store, changed.'),
      ...errors(guards.partnerWithBody.errors, 'STORE_NOT_FOUND', 'TERMINAL_ID_TAKEN'),
    },
  })
  app.openapi(update, async (c) => {
    const change = c.req.valid('json')
    if (!STORE_FIELDS.some((name) => change[name] !== undefined))
      throw new HubError('VALIDATION_FAILED', {
        details: [{ field: 'body', issue: `must have at least one of ${STORE_FIELDS.join(', ')}` }],
      })
    const store = await verbs.updateStore(c.var.clientId, c.req.valid('param').storeId, change)
    return c.json(toStoreDto(store), 200)
  })
}
