import { checksumOf } from '../../../support/callback.ts'
import { PATH_CHANGES, TEXT_CHANGES } from './changes.ts'
import type { Authorization, RequestStep, Stand } from './plan.ts'
import type { World } from './world.ts'

/** A request as it is sent. */
export interface Wire {
  method: string
  path: string
  headers: Record<string, string>
  body: string | Uint8Array<ArrayBuffer> | undefined
}

/** Puts what the world knows into a planned request. */
export function toWire(step: RequestStep, world: World): Wire {
  const { operation, method = operation.method, type, key, amount } = step
  const hasBody = operation.requestBody !== undefined && !['GET', 'HEAD'].includes(method.toUpperCase())
  const fields = signed(Object(resolved(step.fields, world)), world)
  const change = TEXT_CHANGES[step.textChange]
  const credentials = authorization(step.authorization, world)
  // HTTP Basic goes with an empty body.
  const empty = step.authorization.kind === 'basic' && operation.operationId === 'getAccessToken'
  return {
    method,
    path: pathOf(step, world),
    headers: {
      ...(credentials !== undefined && { Authorization: credentials }),
      ...(type !== undefined && { 'Content-Type': type }),
      ...(key !== undefined && { 'Idempotency-Key': key }),
      ...step.headers,
    },
    body: hasBody && change && !empty ? change(JSON.stringify(fields), amount) : undefined,
  }
}

function pathOf({ operation, parameter, pathChange, amount }: RequestStep, world: World): string {
  const value = resolved(parameter, world)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const encoded = encodeURIComponent(text.toWellFormed())
  const path = operation.path.replace(/\{[^}]+\}/, () => encoded)
  return PATH_CHANGES[pathChange]?.(path, amount) ?? path
}

function authorization(planned: Authorization, { pools }: World): string | undefined {
  switch (planned.kind) {
    case 'none':
      return undefined
    case 'text':
      return planned.text
    case 'bearer':
      return `Bearer ${picked(pools.accessToken, planned.at)}`
    case 'basic': {
      const pair = `${picked(pools.clientId, planned.client)}:${picked(pools.clientSecret, planned.secret)}`
      return `Basic ${Buffer.from(pair).toString('base64')}`
    }
  }
}

function picked(values: readonly string[], at: number): string {
  return values[at % values.length] ?? ''
}

/** A planned value with every stand replaced but the signature, which needs the others. */
function resolved(planned: unknown, world: World): unknown {
  if (Array.isArray(planned)) return planned.map((one) => resolved(one, world))
  if (typeof planned !== 'object' || planned === null) return planned
  if (isStand(planned)) {
    if ('$pool' in planned) return picked(world.pools[planned.$pool], planned.at)
    if ('$screen' in planned) return codeOn(world, planned.$screen)
    return planned
  }
  return Object.fromEntries(Object.entries(planned).map(([name, one]) => [name, resolved(one, world)]))
}

function isStand(value: object): value is Stand {
  return '$pool' in value || '$screen' in value || '$signed' in value
}

function codeOn({ devices }: World, at: number): string {
  try {
    return devices[at]?.code() ?? ''
  } catch {
    // It has shown none.
    return '000000'
  }
}

function signed(fields: Record<string, unknown>, { partners }: World): Record<string, unknown> {
  const { checkSum } = fields
  if (typeof checkSum !== 'object' || checkSum === null || !isStand(checkSum) || !('$signed' in checkSum))
    return fields
  const { by, as } = checkSum.$signed
  const secret = partners[by === 0 ? 0 : 1].clientSecret
  const texts = Object.entries(fields).map(([name, value]) => [name, typeof value === 'string' ? value : ''])
  const hex = checksumOf(secret, Object.fromEntries(texts))
  return { ...fields, checkSum: written(hex, as) }
}

function written(hex: string, as: 'hex' | 'HEX' | 'base64' | 'base64url'): string {
  if (as === 'hex') return hex
  return as === 'HEX' ? hex.toUpperCase() : Buffer.from(hex, 'hex').toString(as)
}
