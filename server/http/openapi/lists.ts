import { z } from '@hono/zod-openapi'
import { ISO_8601, parseIso8601 } from '../../platform/time/iso-8601.ts'
import { cursor } from './examples/story.ts'
import { shown } from './schemas.ts'
import { pattern, text } from './text-rules.ts'

/** The parameters that lists share. */

const LIMIT = { default: 50, most: 100 }

export const paging = {
  limit: pattern(/^(100|[1-9][0-9]?)$/, `must be a whole number from 1 to ${LIMIT.most}`)
    .transform(Number)
    .default(LIMIT.default)
    .openapi({
      ...{ type: 'integer', minimum: 1, maximum: LIMIT.most, default: LIMIT.default },
      description: 'The number of rows of a page.',
    }),
  cursor: pattern(/^[A-Za-z0-9_-]{1,512}$/, 'is not the `next` of a page of this list')
    .optional()
    .openapi({ description: 'The `next` of the page before. The first page when absent.' }),
}

export const flagParam = (description: string) =>
  z
    .enum(['true', 'false'], 'must be true or false')
    .transform((value) => value === 'true')
    .optional()
    .openapi({ type: 'boolean', description })

/** An instant in milliseconds, of a query or of a body. */
export const instantParam = (description: string, hint = '; write + as %2B') =>
  text()
    .transform((written, context) => {
      const at = parseIso8601(written)
      if (at === undefined) context.addIssue(`must be an ISO 8601 date and time${hint}`)
      return at ?? 0
    })
    .optional()
    .openapi({ type: 'string', pattern: ISO_8601.source, description })

export const amountParam = (description: string) =>
  pattern(/^(0|[1-9][0-9]{0,12})$/, 'must be 1 to 13 digits without a leading zero, in đồng')
    .transform(Number)
    .optional()
    .openapi({ type: 'string', pattern: '^(0|[1-9][0-9]{0,12})$', description })

/** The fields of a page of a list in a response. */
export const listShape = <T extends z.ZodType>(row: T) => ({
  data: z.array(row).openapi({ description: 'The rows, newest first.' }),
  next: z
    .string()
    .nullable()
    .openapi(shown('The `cursor` of the next page; null at the end of the list.', cursor)),
})

/** A page of a list in a response. */
export const listOf = <T extends z.ZodType>(name: string, description: string, row: T) =>
  z.object(listShape(row)).openapi(name, { description })
