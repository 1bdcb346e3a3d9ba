import { getPath } from 'hono/utils/url'

/** Reads the API's description: resolves its references, and finds the operation of a request. */

/** JSON Schema, as far as the description uses it. */
export interface Schema {
  type?: string | string[]
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  enum?: unknown[]
  const?: unknown
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
  unevaluatedProperties?: boolean
  allOf?: Schema[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  description?: string
  examples?: unknown[]
}

export interface Content {
  schema: Schema
  examples?: Record<string, { summary?: string; value: unknown }>
}

export interface Header {
  description?: string
  required?: boolean
  schema: Schema
}

export interface Parameter extends Header {
  name: string
  in: 'path' | 'header' | 'query'
}

export interface AnswerDescription {
  description: string
  headers?: Record<string, Header>
  content?: Record<string, Content>
}

/** An operation of the description. */
export interface Operation {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  security: Record<string, string[]>[]
  parameters: Parameter[]
  requestBody?: { required?: boolean; content: Record<string, Content> }
  responses: Record<string, AnswerDescription>
  /** In upper case. */
  method: string
  /** As it is described, with its parameters in braces. */
  path: string
  matches(path: string): boolean
}

export interface Description {
  operations: Operation[]
  schemas: Record<string, Schema>
  /** The operations at a path, whatever their method. */
  at(path: string): Operation[]
}

/** Reads a description from its JSON text. */
export function readDescription(text: string): Description {
  const document: unknown = JSON.parse(text)
  // Its shape is what test/server/app/openapi.test.ts lints.
  const { paths, components } = inlined(document, document) as {
    paths: Record<string, Record<string, Omit<Operation, 'method' | 'path' | 'matches'>>>
    components: { schemas: Record<string, Schema> }
  }
  const operations = Object.entries(paths).flatMap(([path, item]) => {
    const pattern = new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`)
    return Object.entries(item).map(
      ([method, operation]): Operation => ({
        ...operation,
        method: method.toUpperCase(),
        path,
        matches: (asked) => pattern.test(asked),
      }),
    )
  })
  const found = new Map<string, Operation[]>()
  return {
    operations,
    schemas: components.schemas,
    at(path) {
      const known = found.get(path)
      if (known) return known
      const matching = operations.filter((operation) => operation.matches(path))
      // A path without parameters goes before one whose parameter would take its name.
      const exact = matching.filter((operation) => operation.path === path)
      const others = matching.filter((operation) => exact.every(({ method }) => method !== operation.method))
      const both = [...exact, ...others.filter((operation) => !exact.includes(operation))]
      if (found.size < REMEMBERED) found.set(path, both)
      return both
    },
  }
}

const REMEMBERED = 1_000

/** Copies a node, with every reference replaced by its target. */
function inlined(node: unknown, document: unknown): unknown {
  if (Array.isArray(node)) return node.map((one) => inlined(one, document))
  if (typeof node !== 'object' || node === null) return node
  if ('$ref' in node && typeof node.$ref === 'string') return inlined(referred(node.$ref, document), document)
  return Object.fromEntries(Object.entries(node).map(([name, one]) => [name, inlined(one, document)]))
}

function referred(reference: string, document: unknown): unknown {
  let node = document
  for (const name of reference.replace(/^#\//, '').split('/')) node = Object(node)[name]
  if (node === undefined) throw new Error(`the description refers to ${reference}, which is not in it`)
  return node
}

/** The path by which the hub routes a request: without the query, percent-decoded where that is possible. */
export function routedPath(url: string): string {
  return getPath(new Request(new URL(url, 'http://localhost')))
}

/**
 * Makes a schema refuse every property that it does not name. The description allows more properties, so that fields can
 * be added later; the hub must not send a field that is not described.
 */
export function closed(schema: Schema): Schema {
  const { properties, items, additionalProperties, anyOf, oneOf, allOf } = schema
  const isOpenObject = (properties !== undefined || allOf !== undefined) && additionalProperties === undefined
  return {
    ...closedParts(schema),
    ...(properties && { properties: mapValues(properties, closed) }),
    ...(items && { items: closed(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: closed(additionalProperties) }),
    ...(anyOf && { anyOf: anyOf.map(closed) }),
    ...(oneOf && { oneOf: oneOf.map(closed) }),
    ...(isOpenObject && { unevaluatedProperties: false }),
  }
}

/** Parts of an `allOf` must allow each other's properties, so only the whole is closed. */
function closedParts(schema: Schema): Schema {
  if (!schema.allOf) return schema
  const open = (part: Schema): Schema => {
    const { unevaluatedProperties: _closed, ...rest } = closed(part)
    return rest
  }
  return { ...schema, allOf: schema.allOf.map(open) }
}

function mapValues<T>(record: Record<string, T>, map: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]))
}
