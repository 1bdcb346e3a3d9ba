import { createRoute, type OpenAPIHono } from '@hono/zod-openapi'
import { errors } from '../http/errors/openapi.ts'
import type { Guards } from '../http/guards/guards.ts'
import { byPartner } from '../http/openapi/components.ts'
import { storeExamples as examples } from '../http/openapi/examples/stores.ts'
import { json, jsonRequest, prose, storeDto } from '../http/openapi/schemas.ts'
import type { HttpEnv } from '../http/response/env.ts'
import { changeDto, storeParams } from './dto.ts'
import type { Store, StoreChange } from './store.ts'
import { toStoreDto } from './to-dto.ts'

/** PUT /partner/store/{storeId} */
export function storeRoutes(
  app: OpenAPIHono<HttpEnv>,
  guards: Guards,
  verbs: { updateStore: (clientId: string, storeId: string, change: StoreChange) => Promise<Store> },
) {
  const update = createRoute({
    method: 'put',
    path: '/partner/store/{storeId}',
    ...{ tags: ['Partner Store'], ...byPartner, middleware: guards.partnerWithBody.middleware },
    operationId: 'updateStore',
    summary: 'Update store information',
    description: prose(
      'Changes the given fields, at least one. Absent fields stay unchanged; null is refused.',
      '`id` and the totals are ignored, so you may send a store back as you received it, with changes.',
      'The speakers of the store show its new name and static QR code at once.',
    ),
    request: { params: storeParams, ...jsonRequest(changeDto, examples.updateStore.request) },
    responses: {
      200: json(storeDto, 'The changed store.', examples.updateStore.answer),
      ...errors(
        guards.partnerWithBody.errors,
        examples.updateStore.errors,
        'STORE_NOT_FOUND',
        'TERMINAL_ID_TAKEN',
      ),
    },
  })
  app.openapi(update, async (c) => {
    const { storeId } = c.req.valid('param')
    const store = await verbs.updateStore(c.var.clientId, storeId, c.req.valid('json'))
    return c.json(toStoreDto(store), 200)
  })
}
