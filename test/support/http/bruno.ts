import { createHmac, randomUUID } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runInNewContext } from 'node:vm'
import { bruToEnvJsonV2, bruToJsonV2, collectionBruToJson } from '@usebruno/lang'
import { expect } from 'vitest'
import { z } from 'zod'
import type { Answer, TestApi } from '../api.ts'

export const COLLECTION = new URL('../../../server/site/collection/', import.meta.url)

const pairs = z.array(z.object({ name: z.string(), value: z.string() })).default([])
const requestFile = z.object({
  meta: z.object({ name: z.string(), type: z.literal('http'), seq: z.coerce.number() }),
  http: z.object({
    method: z.string(),
    url: z.string(),
    body: z.enum(['json', 'xml', 'none']),
    auth: z.enum(['inherit', 'none']),
  }),
  params: pairs,
  headers: pairs,
  body: z.object({ json: z.string().optional(), xml: z.string().optional() }).optional(),
  script: z.object({ req: z.string().default(''), res: z.string().default('') }).prefault({}),
  assertions: pairs,
  tests: z.string().default(''),
  docs: z.string(),
})
const collectionFile = z.object({ auth: z.object({ bearer: z.object({ token: z.string() }) }) })
const environmentFile = z.object({
  variables: z.array(z.object({ name: z.string(), value: z.string(), secret: z.boolean() })),
})

export type BrunoRequest = z.infer<typeof requestFile>

/** The collection's .bru files by their path in it, as text. */
export function collectionFiles(): Map<string, string> {
  const names = globSync('**/*.bru', { cwd: fileURLToPath(COLLECTION) }).map((name) =>
    name.replaceAll('\\', '/'),
  )
  return new Map(names.sort().map((name) => [name, readFileSync(new URL(name, COLLECTION), 'utf8')]))
}

/** The collection, its requests in their order. */
export function readCollection() {
  const files = collectionFiles()
  const textOf = (name: string) => files.get(name) ?? ''
  return {
    requests: [...files]
      .filter(([name]) => name !== 'collection.bru' && !name.includes('/'))
      .map(([, text]) => requestFile.parse(bruToJsonV2(text)))
      .sort((a, b) => a.meta.seq - b.meta.seq),
    bearer: collectionFile.parse(collectionBruToJson(textOf('collection.bru'))).auth.bearer.token,
    environment: environmentFile.parse(bruToEnvJsonV2(textOf('environments/local.bru'))).variables,
  }
}

/** Fills variables in as Bruno does. Throws for an unknown variable. */
function interpolate(text: string, variables: Map<string, string>, write = (value: string) => value) {
  return text.replaceAll(/\{\{([$\w]+)\}\}/g, (_, name: string) => {
    const value = name === '$guid' ? randomUUID() : variables.get(name)
    if (value === undefined) throw new Error(`nothing has set {{${name}}}`)
    return write(value)
  })
}

/** The one module that the scripts may use: Bruno's safe mode has it, and neither Node.js nor the web. */
const cryptoJs = {
  HmacSHA256: (text: string, key: string) => createHmac('sha256', key).update(text).digest('hex'),
}

interface ScriptDeps {
  variables: Map<string, string>
  now(): number
  body?: Record<string, unknown> | undefined
  answer?: Answer | undefined
}

/** Runs a script as Bruno would, with stand-ins for its objects; answers the request's body as the script leaves it. */
export function runScript(script: string, { variables, now, body, answer }: ScriptDeps) {
  let left = body
  runInNewContext(script, {
    bru: {
      setVar: (name: string, value: string) => void variables.set(name, value),
      getEnvVar: (name: string) => variables.get(name),
      interpolate: (value: unknown) => (typeof value === 'string' ? interpolate(value, variables) : value),
    },
    req: {
      getBody: () => structuredClone(left),
      setBody: (replaced: Record<string, unknown>) => {
        left = replaced
      },
    },
    res: { getStatus: () => answer?.status, getBody: () => answer?.body },
    require(name: string) {
      if (name !== 'crypto-js') throw new Error(`safe mode has no ${name}`)
      return cryptoJs
    },
    Date: class extends Date {
      constructor() {
        super(now())
      }
      static override now = now
    },
    test: (_name: string, act: () => void) => act(),
    expect,
  })
  return left
}

/** Sends one request of the collection, scripts, assertions and tests included. */
export async function sendBruno(
  api: TestApi,
  request: BrunoRequest,
  { bearer, variables }: { bearer: string; variables: Map<string, string> },
): Promise<Answer> {
  const { http, script, assertions, tests } = request
  const now = api.clock.now
  const parsed = z.record(z.string(), z.unknown()).optional()
  const body = runScript(script.req, {
    ...{ variables, now },
    body: parsed.parse(request.body?.json && JSON.parse(request.body.json)),
  })
  const filled = (text: string) => interpolate(text, variables)
  const inJson = (value: string) => JSON.stringify(value).slice(1, -1)
  const path = new URL(filled(http.url)).pathname.replaceAll(/:(\w+)/g, (_, name: string) => {
    const param = request.params.find((one) => one.name === name)
    return encodeURIComponent(filled(param?.value ?? ''))
  })
  const answer = await api.request(http.method.toUpperCase(), path, {
    ...(http.auth === 'inherit' && { token: filled(bearer) }),
    ...(body && { body: interpolate(JSON.stringify(body), variables, inJson) }),
    ...(request.body?.xml && { body: request.body.xml }),
    headers: {
      ...(request.body?.xml && { 'Content-Type': 'application/xml' }),
      ...Object.fromEntries(request.headers.map(({ name, value }) => [name, filled(value)])),
    },
  })
  for (const { name, value } of assertions) assertion(name, filled(value), answer, request.meta.name)
  runScript(script.res, { variables, now, body, answer })
  runScript(tests, { variables, now, body, answer })
  return answer
}

/** One line of an `assert` block: `res.body.store.id: isString`. */
function assertion(path: string, rule: string, res: Answer, request: string) {
  const found = path.split('.').reduce<unknown>((value, name) => Object(value)[name], { res })
  const [operator, ...rest] = rule.split(' ')
  const operand = rest.join(' ')
  switch (operator) {
    case 'eq':
      return expect(String(found), `${request}: ${path}`).toBe(operand)
    case 'isString':
      return expect(found, path).toBeTypeOf('string')
    case 'length':
      return expect(found, path).toHaveLength(Number(operand))
    default:
      throw new Error(`the assertion ${path}: ${rule} is not known here`)
  }
}
