import type { OpenAPIHono } from '@hono/zod-openapi'
import { endpoint } from '../http/guards/endpoint.ts'
import type { Guards } from '../http/guards/guards.ts'
import { storeExamples as examples } from '../http/openapi/examples/stores.ts'
import { storeDto } from '../http/openapi/schemas.ts'
import type { HttpEnv } from '../http/response/env.ts'
import { changeDto, storeParams, toStoreDto } from './dto.ts'
import type { updateStore } from './update-store.ts'

export interface StoreVerbs {
  updateStore: ReturnType<typeof updateStore>
}

/** PUT /partner/store/{storeId} */
export function storeRoutes(app: OpenAPIHono<HttpEnv>, guards: Guards, verbs: StoreVerbs) {
  endpoint(app, guards.partnerWithBody, {
    route: ['put', '/partner/store/{storeId}'],
    tag: 'Partner Store',
    operationId: 'updateStore',
    summary: 'Update store information',
    description: [
      'Changes the given fields, at least one. Absent fields stay unchanged; null is refused.',
      '`id` and the totals are ignored, so you may send a store back as you received it, with changes.',
      'The speakers of the store show its new name and static QR code at once.',
    ],
    params: storeParams,
    body: changeDto,
    answer: storeDto,
    answered: 'The changed store.',
    errors: ['STORE_NOT_FOUND', 'TERMINAL_ID_TAKEN'],
    examples: examples.updateStore,
    async handle({ clientId, params, body }) {
      return toStoreDto(await verbs.updateStore(clientId, params.storeId, body))
    },
  })
}
