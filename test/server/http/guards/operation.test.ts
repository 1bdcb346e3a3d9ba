import { z } from '@hono/zod-openapi'
import { describe, expect, it } from 'vitest'
import type { Guard } from '../../../../server/http/guards/guards.ts'
import { describeOperation, type Operation } from '../../../../server/http/guards/operation.ts'

const GUARD: Guard = { checks: [], errors: [], parameters: ['RequestId'], security: [] }
const OPERATION: Operation = {
  ...{
    route: ['post', '/thing'],
    operationId: 'doThing',
    summary: 'Do a thing',
    description: ['One.', 'Two.'],
  },
  ...{ answered: 'It is done.', examples: {}, handle: async () => new Response() },
}
const of = (operation: Partial<Operation>, guard: Partial<Guard> = {}) =>
  describeOperation({ ...GUARD, ...guard }, { ...OPERATION, ...operation })

describe('the description of an operation', () => {
  it('has the headers of a quota only where requests are counted', () => {
    const limited = of({}, { errors: ['RATE_LIMITED'] }).responses
    expect(limited).toHaveProperty('200.headers.RateLimit')
    expect(limited).toHaveProperty('429')
    expect(of({}).responses).not.toHaveProperty('200.headers.RateLimit')
  })

  it('has a key and the header of a repeat only where a repeat gets the first answer', () => {
    const once = of({}, { errors: ['IDEMPOTENCY_KEY_REUSED'] })
    expect(of({}).parameters).toEqual([{ $ref: '#/components/parameters/RequestId' }])
    expect(once.parameters).toContainEqual({ $ref: '#/components/parameters/IdempotencyKey' })
    expect(once.responses).toHaveProperty('200.headers.Idempotent-Replayed')
    expect(of({}).responses).not.toHaveProperty('200.headers.Idempotent-Replayed')
  })

  it('has a refusal of the query only where it has a query', () => {
    expect(of({}).responses).not.toHaveProperty('400')
    expect(of({ query: z.object({}) }).responses).toHaveProperty('400')
  })

  it('says when the body may be empty', () => {
    const body = z.object({})
    expect(of({ body }).request.body).toMatchObject({ required: true })
    expect(of({ body, optionalBody: 'When all is said.' }).request.body).toMatchObject({
      ...{ required: false, description: 'When all is said.' },
    })
  })

  it('has a file beside JSON, and nothing where there is no body', () => {
    const answer = z.object({})
    const { responses } = of({ answer, csv: 'a;b' })
    expect(responses).toHaveProperty(['200', 'content', 'application/json', 'schema'], answer)
    expect(responses).toHaveProperty(['200', 'content', 'text/csv', 'examples', 'file', 'value'], 'a;b')
    expect(of({ status: 204 }).responses).toHaveProperty('204')
    expect(of({ status: 204 }).responses).not.toHaveProperty('204.content')
  })
})
