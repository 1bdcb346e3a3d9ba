import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { MAX_BODY_BYTES } from '../../../../../server/http/guards/checks.ts'
import { createTestApi, type TestApi, type TestPartner } from '../../../../support/api.ts'
import { withFile } from '../../../../support/folder.ts'
import { createValidators } from '../../../../support/http/answer-check.ts'
import { accepted, mutated, propertiesOf } from '../../../../support/http/from-schema.ts'
import {
  type Description,
  type Operation,
  readDescription,
  type Schema,
} from '../../../../support/http/openapi.ts'

/**
 * A field's schema accepts exactly what the hub accepts: bodies are generated from the schemas,
 * valid and invalid, and `details` must list exactly the fields that the schema refuses.
 */

let api: TestApi
let partner: TestPartner
let description: Description
const validate = createValidators()
const onEnd = withFile()
beforeAll(async () => {
  api = createTestApi({ onEnd })
  partner = await api.partner()
  description = readDescription(await api.text('/openapi.json'))
})

const OPERATIONS = [
  ['getAccessToken', '/auth/token', 100],
  ['refreshAccessToken', '/auth/refresh', 50],
  ['sendVerificationCode', '/device/send-verification', 100],
  ['registerDevice', '/device/register', 400],
  ['unregisterDevice', '/device/unregister', 50],
  ['updateDevicesStatus', '/device/update-status', 150],
  ['createDynamicQr', '/payment/dynamic-qr', 200],
  ['reportPayment', '/payment/callback', 400],
  ['updateStore', '/store/none', 300],
  ['updateDeviceSettings', '/device/NONE-1/settings', 100],
  ['createWebhook', '/webhook', 150],
  ['changeWebhook', '/webhook/none', 100],
  ['replayEvents', '/webhook/none/replay', 100],
] as const

function operationOf(id: string): Operation {
  const found = description.operations.find((one) => one.operationId === id)
  if (!found) throw new Error(`${id} is not described`)
  return found
}

function bodyOf(id: string): Schema {
  const schema = operationOf(id).requestBody?.content['application/json']?.schema
  if (!schema) throw new Error(`${id} has no body`)
  return schema
}

/** The fields that the schema refuses. */
function refusedFields(schema: Schema, value: unknown, place = ''): string[] {
  const at = (name: string | number) => (place === '' ? String(name) : `${place}.${name}`)
  const isArray = [schema.type].flat().includes('array') && Array.isArray(value)
  if (isArray && !validate.problem({ ...schema, items: {} }, value))
    return value.flatMap((one, index) => refusedFields(schema.items ?? {}, one, at(index)))
  const { properties, required } = propertiesOf(schema)
  if (
    Object.keys(properties).length === 0 ||
    typeof value !== 'object' ||
    value === null ||
    Array.isArray(value)
  )
    return validate.problem(schema, value) ? [place] : []
  const given = new Map(Object.entries(value))
  return Object.entries(properties).flatMap(([name, one]) => {
    if (!given.has(name)) return required.includes(name) ? [at(name)] : []
    return refusedFields(one, given.get(name), at(name))
  })
}

/** Ill-formed Unicode is refused in every text. JSON Schema does not describe this rule, see text-rules.ts. */
function illFormedFields(value: unknown, place: string[] = []): string[] {
  if (typeof value === 'string') return value.isWellFormed() ? [] : [place.join('.')]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) => illFormedFields(one, [...place, name]))
}

/** The hub refuses more than the schema here: an impossible date, a time too far ahead. */
const BEYOND_SCHEMA = new Set(['payDate', 'since', 'until'])
/** The fields in `details` when a rule about the whole body is broken. */
const OF_THE_WHOLE = new Set(['body', 'ftCode'])
/** Credentials accept any characters. */
const CREDENTIALS = new Set(['clientId', 'clientSecret', 'refreshToken', 'checkSum'])

it.each(OPERATIONS)('generates valid bodies for %s', (id) => {
  const schema = bodyOf(id)
  for (const body of fc.sample(accepted(schema), 200)) expect(validate.problem(schema, body)).toBeUndefined()
})

it.each(OPERATIONS)(
  '%s accepts what its schema accepts, and names each field that it refuses',
  async (id, path, runs) => {
    const schema = bodyOf(id)
    const { properties } = propertiesOf(schema)
    const mutations = fc.record(
      Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, mutated(one)])),
      { requiredKeys: [] },
    )
    const body = fc
      .tuple(accepted(schema), mutations, fc.subarray(Object.keys(properties)), fc.boolean())
      .map(([right, wrong, dropped, isRight]) => {
        if (isRight) return Object(right)
        const merged = { ...Object(right), ...wrong }
        for (const name of dropped.slice(0, 1)) delete merged[name]
        return merged
      })

    await fc.assert(
      fc.asyncProperty(body, async (sent: object) => {
        fc.pre(Buffer.byteLength(JSON.stringify(sent)) <= MAX_BODY_BYTES)
        // Lets the rate limit recover.
        await api.clock.wind(20)
        const answer = await api.request(operationOf(id).method, `/api/v1/partner${path}`, {
          body: JSON.stringify(sent),
          ...(path.startsWith('/auth') ? {} : { token: partner.token }),
        })
        expectAgreement(schema, sent, answer.body)
      }),
      { numRuns: runs },
    )
  },
)

function expectAgreement(schema: Schema, sent: object, body: unknown) {
  const { code, details = [] } = Object(body)
  const named: string[] = code === 40001 ? details.map(({ field }: { field: string }) => field) : []
  const refused = refusedFields(schema, sent)
  const known = new Set(Object.keys(propertiesOf(schema).properties))
  const illFormed = illFormedFields(sent).filter((field) => {
    const [top = ''] = field.split('.')
    return known.has(top) && !CREDENTIALS.has(top) && !refused.some((one) => field.startsWith(one))
  })
  const expected = new Set([...refused, ...illFormed])
  const more = named.filter((field) => !expected.has(field))
  expect(new Set(named).size).toBe(named.length)
  expect([...expected].filter((field) => !named.includes(field))).toEqual([])
  expect(more.filter((field) => !BEYOND_SCHEMA.has(field) && !OF_THE_WHOLE.has(field))).toEqual([])
  const refusedAsWhole = validate.problem(schema, sent) !== undefined
  expect(code === 40001 || more.length > 0).toBe(refusedAsWhole || illFormed.length > 0 || more.length > 0)
  if (more.some((field) => OF_THE_WHOLE.has(field))) expect(refusedAsWhole).toBe(true)
}
