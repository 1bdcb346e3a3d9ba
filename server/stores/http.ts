import type { OpenAPIHono } from '@hono/zod-openapi'
import { endpoint } from '../http/guards/endpoint.ts'
import type { Guards } from '../http/guards/guards.ts'
import { storeExamples as examples } from '../http/openapi/examples/stores.ts'
import { storeDto } from '../http/openapi/schemas.ts'
import type { HttpEnv } from '../http/response/env.ts'
import { byPartner } from '../security/actor.ts'
import { changeDto, listQuery, storeListDto, storeParams, toStoreDto } from './dto.ts'
import type { manageStores } from './manage-stores.ts'

export type StoreVerbs = ReturnType<typeof manageStores>

/** The endpoints under /partner/store */
export function storeRoutes(app: OpenAPIHono<HttpEnv>, guards: Guards, verbs: StoreVerbs) {
  endpoint(app, guards.partner, {
    route: ['get', '/partner/store'],
    tag: 'Partner Store',
    operationId: 'listStores',
    summary: 'List stores',
    description: [
      'Your stores, those that were made last first.',
      'To read the whole list, send `next` as `cursor` until it is null: every store that was there at the start comes exactly once.',
    ],
    query: listQuery,
    answer: storeListDto,
    answered: 'A page of stores.',
    examples: examples.listStores,
    async handle({ clientId, query: { limit, cursor, ...filter } }) {
      const { rows, next } = await verbs.listStores(clientId, filter, { limit, cursor })
      return { data: rows.map(({ store }) => toStoreDto(store)), next: next ?? null }
    },
  })

  endpoint(app, guards.partner, {
    route: ['get', '/partner/store/{storeId}'],
    tag: 'Partner Store',
    operationId: 'getStore',
    summary: 'Get a store',
    description: [
      'A store of yours, with the number and the sum of all its payments. The summary of a day has those of one day.',
    ],
    params: storeParams,
    answer: storeDto,
    answered: 'The store.',
    errors: ['STORE_NOT_FOUND'],
    examples: examples.getStore,
    async handle({ clientId, params }) {
      return toStoreDto(await verbs.findStore(clientId, params.storeId))
    },
  })

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
      return toStoreDto(await verbs.updateStore(byPartner(clientId), params.storeId, body))
    },
  })
}
