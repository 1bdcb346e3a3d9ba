import fc from 'fast-check'
import { accepted, exclusive, mutated, propertiesOf } from '../../../support/http/from-schema.ts'
import type { Description, Operation, Schema } from '../../../support/http/openapi.ts'
import { PATH_CHANGES, TEXT_CHANGES } from './changes.ts'
import { headers, headerText, keys, types } from './headers.ts'
import type { PoolName } from './world.ts'

/** What is done to a world, as data: a step says the same in every world, so that a seed finds a failure again. */

/** Stands in a body or path for a value that the world knows when it is sent. */
export type Stand =
  | { $pool: PoolName; at: number }
  /** The code that a device shows. */
  | { $screen: number }
  /** The checksum of the other fields under a partner's secret. */
  | { $signed: { by: number; as: 'hex' | 'HEX' | 'base64' | 'base64url' } }

export interface RequestStep {
  kind: 'request'
  operation: Operation
  method: string | undefined
  /** For the path's parameter, when it has one. */
  parameter: unknown
  pathChange: keyof typeof PATH_CHANGES
  authorization: Authorization
  headers: Record<string, string>
  /** Its Idempotency-Key. */
  key: string | undefined
  type: string | undefined
  fields: Record<string, unknown>
  textChange: keyof typeof TEXT_CHANGES
  /** For the changes, how much of it. */
  amount: number
}

export type Authorization =
  | { kind: 'bearer'; at: number }
  | { kind: 'basic'; client: number; secret: number }
  | { kind: 'none' }
  | { kind: 'text'; text: string }

export type Step =
  | RequestStep
  /** A request that was sent before, to the byte. */
  | { kind: 'again'; at: number }
  | { kind: 'wind'; ms: number }
  | { kind: 'device'; at: number; act: 'connect' | 'leave' }

const POOL_OF: Record<string, PoolName> = {
  deviceSerial: 'serial',
  serial: 'serial',
  storeId: 'storeId',
  terminalID: 'terminalID',
  billNumber: 'billNumber',
  ftCode: 'ftCode',
  refreshToken: 'refreshToken',
  clientId: 'clientId',
  clientSecret: 'clientSecret',
  id: 'webhookId',
  eventId: 'eventId',
}

const at = fc.nat(31)
/** Most requests are about what was there first. */
const early = fc.oneof({ weight: 3, arbitrary: fc.nat(2) }, { weight: 2, arbitrary: at })
const mostly = <T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>, weight = 9) =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: rare })

/** A value that makes a request plausible. */
function plausible(name: string, schema: Schema): fc.Arbitrary<unknown> {
  const pool = POOL_OF[name]
  if (pool)
    return mostly<unknown>(
      early.map((index): Stand => ({ $pool: pool, at: index })),
      accepted(schema),
    )
  switch (name) {
    case 'verificationCode':
      return mostly<unknown>(
        fc.nat(5).map((device): Stand => ({ $screen: device })),
        accepted(schema),
        4,
      )
    case 'checkSum':
      return mostly<unknown>(signature, accepted(schema))
    case 'transactionAmount':
      return fc.oneof(fc.constantFrom('50000', '50000', '70000'), accepted(schema))
    case 'url':
      return fc.oneof(fc.constantFrom('https://shop.example/a', 'https://10.0.0.1/'), accepted(schema))
    case 'since':
    case 'until':
    case 'payDate':
      return fc.oneof(
        fc.constantFrom('2026-11-20T03:00:00.000Z', '2026-11-20T10:00:00+07:00'),
        accepted(schema),
      )
    case 'devices':
      return fc.oneof(
        fc.array(
          fc.record({
            deviceSerial: at.map((index): Stand => ({ $pool: 'serial', at: index })),
            active: fc.boolean(),
          }),
          { minLength: 1, maxLength: 5 },
        ),
        accepted(schema),
      )
    default:
      return accepted(schema)
  }
}

const signature: fc.Arbitrary<Stand> = fc
  .record({
    by: mostly(fc.constant(0), fc.constant(1), 4),
    as: fc.constantFrom('hex', 'HEX', 'base64', 'base64url'),
  })
  .map(($signed) => ({ $signed }))

const strangers = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 })

/** A body: all right in most cases, else with a field or two changed or left out. */
function fieldsOf(schema: Schema | undefined): fc.Arbitrary<Record<string, unknown>> {
  if (!schema) return fc.constant({})
  const { properties, required } = propertiesOf(schema)
  const branches = exclusive(schema)
  const right = fc.oneof(
    ...(branches.length > 0 ? branches : [{ required: [], without: [] }]).map((branch) => {
      const own = Object.entries(properties).filter(([name]) => !branch.without.includes(name))
      const made = Object.fromEntries(own.map(([name, one]) => [name, plausible(name, one)]))
      return fc.record(made, { requiredKeys: [...required, ...branch.required] })
    }),
  )
  const change = fc.oneof(
    ...Object.entries(properties).map(([name, one]) =>
      mostly<readonly [string, unknown]>(
        mutated(one).map((value) => [name, value]),
        fc.constant([name, undefined]),
        2,
      ),
    ),
  )
  const changes = mostly<(readonly [string, unknown])[]>(
    fc.constant([]),
    fc.array(change, { minLength: 1, maxLength: 2 }),
    4,
  )
  const unknown = mostly(fc.constant({}), strangers)
  return fc
    .tuple(unknown, right, changes)
    .map(([more, fields, wrong]) => ({ ...more, ...fields, ...Object.fromEntries(wrong) }))
}

function authorizationOf({ operationId }: Operation): fc.Arbitrary<Authorization> {
  const bearer = mostly(fc.nat(1), at, 5).map((index): Authorization => ({ kind: 'bearer', at: index }))
  const basic = fc
    .record({ client: fc.nat(3), secret: fc.nat(3) })
    .map(({ client, secret }): Authorization => ({ kind: 'basic', client, secret }))
  const none = fc.constant<Authorization>({ kind: 'none' })
  const text = fc
    .oneof(
      headerText,
      ...['Bearer ', 'Basic ', 'bearer  '].map((scheme) => headerText.map((it) => scheme + it)),
    )
    .map((it): Authorization => ({ kind: 'text', text: it }))
  if (operationId === 'getAccessToken') return fc.oneof(none, basic, text)
  return mostly(bearer, fc.oneof(none, basic, text), 12)
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'PROPFIND', 'X']

const strangePaths = fc.oneof(mutated({ type: 'string' }), fc.stringMatching(/^[ -~]{0,30}$/))

function requestTo(operation: Operation): fc.Arbitrary<RequestStep> {
  const [parameter] = operation.parameters.filter((one) => one.in === 'path')
  const named = parameter ? plausible(parameter.name, parameter.schema) : fc.constant('')
  return fc.record({
    kind: fc.constant('request'),
    operation: fc.constant(operation),
    method: mostly(fc.constant(undefined), fc.constantFrom<string | undefined>(...METHODS), 20),
    parameter: mostly(named, strangePaths, 8),
    pathChange: mostly(fc.constant('none'), fc.constantFrom(...keysOf(PATH_CHANGES)), 15),
    authorization: authorizationOf(operation),
    headers: mostly(fc.constant({}), headers),
    key: mostly(fc.constant(undefined), keys, 6),
    type: mostly(fc.constant(undefined), types, 20),
    fields: fieldsOf(operation.requestBody?.content['application/json']?.schema),
    textChange: mostly(fc.constant('none'), fc.constantFrom(...keysOf(TEXT_CHANGES)), 8),
    amount: fc.nat(8_000),
  })
}

/** The keys of an object whose type names them all. */
function keysOf<T extends object>(object: T): (keyof T)[] {
  return Object.keys(object) as (keyof T)[]
}

/** A code is asked for and used by the same partner: left to chance, few registrations would come so far. */
function registration(description: Description): fc.Arbitrary<Step[]> {
  const stepOf = (id: string) => {
    const operation = description.operations.find(({ operationId }) => operationId === id)
    if (!operation) throw new Error(`${id} is not described`)
    return requestTo(operation)
  }
  return fc
    .record({
      device: fc.nat(5),
      bearer: fc.constantFrom(0, 0, 2),
      send: stepOf('sendVerificationCode'),
      register: stepOf('registerDevice'),
    })
    .map(({ device, bearer, send, register }) => {
      const authorization: Authorization = { kind: 'bearer', at: bearer }
      const deviceSerial: Stand = { $pool: 'serial', at: device }
      const verificationCode: Stand = { $screen: device }
      return [
        { ...send, authorization, fields: { deviceSerial } },
        { ...register, authorization, fields: { ...register.fields, deviceSerial, verificationCode } },
      ]
    })
}

const wind = fc.record({
  kind: fc.constant('wind'),
  ms: fc.constantFrom(1_000, 61_000, 130_000, 301_000, 901_000),
})
const device = fc.record({
  kind: fc.constant('device'),
  at: fc.nat(5),
  act: fc.constantFrom('connect', 'connect', 'leave'),
})

/** So many steps of all kinds, most of them requests that might be right. */
export function life(description: Description, steps: number): fc.Arbitrary<Step[]> {
  const request = fc.oneof(...description.operations.map(requestTo))
  const again = fc.record({ kind: fc.constant('again'), at: fc.nat(200) })
  const one = (step: fc.Arbitrary<Step>) => step.map((it) => [it])
  const some = fc.oneof(
    { weight: 40, arbitrary: one(request) },
    { weight: 3, arbitrary: registration(description) },
    { weight: 4, arbitrary: one(again) },
    { weight: 1, arbitrary: one(wind) },
    { weight: 1, arbitrary: one(device) },
  )
  return fc.array(some, { minLength: steps, maxLength: steps }).map((all) => all.flat())
}
