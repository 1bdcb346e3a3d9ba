import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { parseJson } from '../parse-json.ts'
import {
  type AnswerDescription,
  closed,
  type Description,
  type Operation,
  readDescription,
  routedPath,
  type Schema,
} from './openapi.ts'

/**
 * Checks answers against the API's description: the operation has the status, and the body and headers are exactly as
 * described. Every test sends its requests through this check, so the description stays true.
 */

export interface Asked {
  method: string
  /** The path, or the whole URL. */
  url: string
  /** The sent body, as an object or as text. Other types are not checked. */
  body?: unknown
}

export interface Answered {
  status: number
  headers: Headers
  text: string
}

/** Headers that no operation describes: HTTP's own headers and security headers. */
const GENERAL_HEADERS =
  /^(cache-control|content-(type|length|security-policy)|x-|(cross-)?origin-|referrer-policy|strict-transport|connection|keep-alive|date|transfer-encoding|vary)/

/** Below this, every path is an operation of the API or 404. Other paths are pages and operators' endpoints. */
const API = /^\/api(\/|$)/

/** Throws when the description does not have an answer. */
export type AnswerCheck = (asked: Asked, answered: Answered) => void

export function createAnswerCheck(description: Description): AnswerCheck {
  const validate = createValidators()
  const errorBody = closed(description.schemas.ErrorResponsePayloadDto ?? {})

  function checkBody(described: AnswerDescription, text: string, type: string | null) {
    // A file's rows are compared with those of the list: test/server/http/endpoints/csv.test.ts.
    if (described.content?.['text/csv'] && /^text\/csv(;|$)/.test(type ?? '')) return undefined
    const content = described.content?.['application/json']
    if (!content) return text === '' ? undefined : 'has a body, none is described'
    if (!/^application\/json(;|$)/.test(type ?? '')) return `is of type ${type}`
    return validate.problem(closedOf(content.schema), JSON.parse(text))
  }

  function checkHeaders(described: AnswerDescription, headers: Headers): string | undefined {
    const known = Object.entries(described.headers ?? {})
    for (const [name, { required, schema }] of known) {
      const value = headers.get(name)
      if (value === null && required) return `lacks the header ${name}`
      if (value === null) continue
      const problem = validate.problem(schema, schema.type === 'integer' ? Number(value) : value)
      if (problem) return `has the header ${name}: ${value}, which ${problem}`
    }
    const names = new Set(known.map(([name]) => name.toLowerCase()))
    const unsaid = [...headers.keys()].find((name) => !names.has(name) && !GENERAL_HEADERS.test(name))
    return unsaid && `has the header ${unsaid}, which is not described`
  }

  function checkOperation(operation: Operation, asked: Asked, answered: Answered): string | undefined {
    const { status, headers, text } = answered
    const described = operation.responses[status]
    if (!described) return `has the status ${status}, which is not described`
    const wrong = checkHeaders(described, headers)
    if (wrong) return wrong
    if (asked.method !== 'HEAD') {
      const problem = checkBody(described, text, headers.get('Content-Type'))
      if (problem) return problem
    }
    return status < 300 ? checkAccepted(operation, asked.body) : undefined
  }

  /** A request that succeeds must be one that the description allows. */
  function checkAccepted({ requestBody }: Operation, body: unknown): string | undefined {
    const schema = requestBody?.content['application/json']?.schema
    const isObject =
      typeof body === 'object' && !ArrayBuffer.isView(body) && !(body instanceof ReadableStream)
    const sent = parseJson(typeof body === 'string' ? body : isObject ? JSON.stringify(body) : '')
    if (!schema || sent === undefined) return undefined
    const problem = validate.problem(schema, sent)
    return problem && `says success to a body that is not described: it ${problem}`
  }

  function checkElsewhere(path: string, method: string, answered: Answered): string | undefined {
    const { status, headers, text } = answered
    const methods = description.at(path).map((operation) => operation.method)
    const expected = methods.length > 0 ? 405 : 404
    // A refusal is counted before it is answered.
    if (API.test(path) && status !== expected && status !== 429)
      return `is no operation, so it has the status ${expected}`
    if (status < 400 || path === '/readyz') return undefined
    const allowed = headers.get('Allow')?.split(/, */) ?? []
    if (status === 405 && methods.some((one) => !allowed.includes(one))) return 'lacks a method in Allow'
    if (!headers.has('X-Request-Id')) return 'lacks the header X-Request-Id'
    return method === 'HEAD' ? undefined : validate.problem(errorBody, JSON.parse(text))
  }

  const closedSchemas = new Map<Schema, Schema>()
  function closedOf(schema: Schema): Schema {
    const found = closedSchemas.get(schema) ?? closed(schema)
    closedSchemas.set(schema, found)
    return found
  }

  return (asked, answered) => {
    const path = routedPath(asked.url)
    // HEAD has the answers of GET, without a body.
    const method = asked.method === 'HEAD' ? 'GET' : asked.method
    const operation = description.at(path).find((one) => one.method === method)
    const problem = operation
      ? checkOperation(operation, asked, answered)
      : checkElsewhere(path, asked.method, answered)
    if (problem)
      throw new Error(
        `${asked.method} ${asked.url} was answered with ${answered.status} ${answered.text}: that ${problem}`,
      )
  }
}

/** Compiles each schema once. Returns the errors of a value. */
export function createValidators() {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, messages: true })
  addFormats.default(ajv)
  const compiled = new Map<Schema, ValidateFunction>()
  return {
    problem(schema: Schema, value: unknown): string | undefined {
      const validate = compiled.get(schema) ?? ajv.compile(schema)
      compiled.set(schema, validate)
      if (validate(value)) return undefined
      const [first] = validate.errors ?? []
      return `is wrong at ${first?.instancePath || 'its top'}: ${first?.message} ${JSON.stringify(first?.params)}`
    },
  }
}

let shared: Promise<AnswerCheck> | undefined

/** One check for all tests of a process: every test's hub has the same description. */
export function answerCheck(loadDescription: () => Promise<string>): Promise<AnswerCheck> {
  shared ??= loadDescription().then((text) => createAnswerCheck(readDescription(text)))
  return shared
}
