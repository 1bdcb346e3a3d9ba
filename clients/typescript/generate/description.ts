/** The parts of the hub's OpenAPI document that the client is generated from. */

export interface Schema {
  $ref?: string
  type?: string | string[]
  properties?: Record<string, Schema>
  enum?: unknown[]
  allOf?: Schema[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  [key: string]: unknown
}

interface Parameter {
  $ref?: string
  name: string
  in: string
  required?: boolean
  description?: string
  schema: Schema
}

interface Example {
  value: { code?: number; error?: string }
}

interface Answer {
  content?: Record<string, { schema: Schema; examples?: Record<string, Example> }>
}

export interface Operation {
  operationId: string
  summary: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, Answer>
  /** In upper case. */
  method: string
  path: string
}

export interface Description {
  openapi: string
  info: { title: string; version: string }
  paths: Record<string, Record<string, Omit<Operation, 'method' | 'path'>>>
  components: { schemas: Record<string, Schema> }
}

/** All operations, in the order of the description. */
export function operationsOf({ paths }: Description): Operation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )
}

export const queryOf = ({ parameters = [] }: Operation) => parameters.filter(({ in: at }) => at === 'query')

/** The name of the type of an operation's query. */
export const queryName = ({ operationId }: Operation) =>
  `${operationId.replace(/^./, (first) => first.toUpperCase())}Query`

/** The schema of the JSON in a body or in an answer. */
export const jsonOf = (of: Pick<Answer, 'content'> | undefined): Schema | undefined =>
  of?.content?.['application/json']?.schema

/** The name of the schema that a reference leads to. */
export function referredName({ $ref }: Schema, where: string): string {
  const name = $ref?.replace('#/components/schemas/', '')
  if (name === undefined) throw new Error(`${where} has a schema without a name`)
  return name
}
