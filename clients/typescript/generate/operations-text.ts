import {
  type Description,
  jsonOf,
  type Operation,
  operationsOf,
  queryName,
  queryOf,
  referredName,
} from './description.ts'

const KEY = '#/components/parameters/IdempotencyKey'

/** The module with the row and the types of each operation, and with all error codes. */
export function operationsText(description: Description): string {
  const operations = operationsOf(description)
  const names = new Map(operations.flatMap(errorsOf).sort(([a], [b]) => a - b))
  const imported = operations.flatMap((operation) => Object.values(typesOf(operation))).filter(isNamed)
  return `import type {
${[...new Set(imported)].sort().map(line).join('')}} from './types.ts'

/** The method and the path of each operation, and whether it takes an Idempotency-Key. */
export const OPERATIONS = {
${operations.map(rowOf).join('')}} as const

/** The body, the query and the answer of each operation, and the codes of its errors. */
export interface Operations {
${operations.map(interfaceOf).join('')}}

/** The name of each error code. */
export interface ErrorNames {
${[...names].map(([code, name]) => `  ${code}: '${name}'\n`).join('')}}
`
}

const line = (name: string) => `  ${name},\n`
const isNamed = (type: string) => /^[A-Z]/.test(type)

function rowOf({ operationId, method, path, parameters = [] }: Operation): string {
  const takesKey = parameters.some(({ $ref }) => $ref === KEY)
  return `  ${operationId}: { method: '${method}', path: '${path}', takesKey: ${takesKey} },\n`
}

function typesOf(operation: Operation) {
  const { operationId, requestBody, responses } = operation
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))
  const [body, answer] = [jsonOf(requestBody), jsonOf(success?.[1])]
  return {
    body: body ? referredName(body, operationId) : 'undefined',
    query: queryOf(operation).length > 0 ? queryName(operation) : 'undefined',
    answer: answer ? referredName(answer, operationId) : 'undefined',
  }
}

function interfaceOf(operation: Operation): string {
  const { body, query, answer } = typesOf(operation)
  const codes = [...new Set(errorsOf(operation).map(([code]) => code))].sort()
  return `  /** ${operation.summary}. */
  ${operation.operationId}: {
    body: ${body}
    query: ${query}
    answer: ${answer}
    codes: ${codes.join(' | ')}
  }
`
}

/** The code and the name of each error of an operation. */
function errorsOf({ responses }: Operation): [code: number, name: string][] {
  return Object.values(responses).flatMap(({ content }) =>
    Object.values(content?.['application/json']?.examples ?? {}).flatMap(({ value: { code, error } }) =>
      typeof code === 'number' && error !== undefined ? [[code, error] as [number, string]] : [],
    ),
  )
}
