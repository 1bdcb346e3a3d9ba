import { z } from '@hono/zod-openapi'
import { expect, it } from 'vitest'
import { validated, validatedQuery } from '../../../../server/http/guards/endpoint.ts'
import { HubError } from '../../../../server/platform/errors.ts'

function detailsOf(parse: () => unknown) {
  try {
    parse()
  } catch (error) {
    if (error instanceof HubError) return error.details
  }
  throw new Error('it is refused')
}

it('names each wrong field, and at most 200 of them', () => {
  const items = z.object({ items: z.array(z.string()) })
  const details = detailsOf(() => validated(items, { items: Array.from({ length: 5_000 }, () => 1) }))
  expect(details.map(({ field }) => field)).toEqual(Array.from({ length: 200 }, (_, n) => `items.${n}`))
  const queries = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`unknown${n}`, ['x']]))
  expect(detailsOf(() => validatedQuery(z.object({}), queries))).toHaveLength(200)
})
