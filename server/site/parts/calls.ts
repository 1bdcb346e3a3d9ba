import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import type { Say } from '../../platform/language/words.ts'
import { codeBlock } from './code.ts'
import { type Html, html } from './html.ts'

const operationShape = z.object({
  operationId: z.string(),
  security: z.array(z.record(z.string(), z.unknown())).default([]),
  parameters: z
    .array(
      z.object({ name: z.string().optional(), in: z.string().optional(), schema: z.unknown().optional() }),
    )
    .default([]),
  requestBody: z
    .object({
      content: z.record(
        z.string(),
        z.object({ examples: z.record(z.string(), z.object({ value: z.unknown() })).default({}) }),
      ),
    })
    .optional(),
})
type DescribedOperation = z.infer<typeof operationShape>

const documentShape = z.object({ paths: z.record(z.string(), z.record(z.string(), operationShape)) })
const exampleShape = z.object({ examples: z.tuple([z.string()], z.unknown()) })

/** An operation by curl and by the client in TypeScript. */
export interface Call {
  operationId: string
  curl: string
  client: string
}

/** The calls of all operations of the OpenAPI document. Throws when the client's call of one is missing. */
export async function callsOf(document: object): Promise<Call[]> {
  const clients = await clientCalls()
  return Object.entries(documentShape.parse(document).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { operationId } = operation
      const client = clients.get(operationId)
      if (client === undefined) throw new Error(`operations.mts lacks ${operationId}`)
      return { operationId, curl: curlOf(method, path, operation), client }
    }),
  )
}

/** The client's calls by the names of their operations. They are one sample, which the compiler checks. */
async function clientCalls(): Promise<Map<string, string>> {
  const text = await readFile(new URL('../samples/operations.mts', import.meta.url), 'utf8')
  const [, ...parts] = text.split(/^\/\/ (?=[a-z]+[A-Z]\w*$)/m)
  return new Map(parts.map((part) => [part.split('\n', 1).join(), part.replace(/^.*\n/, '').trim()]))
}

/** The request as a command of curl, with the values of the document's first example. */
function curlOf(
  method: string,
  path: string,
  { security, parameters, requestBody }: DescribedOperation,
): string {
  const inPath = parameters.filter((parameter) => parameter.in === 'path')
  const filled = inPath.reduce(
    (url, { name, schema }) =>
      url.replace(`{${name}}`, exampleShape.safeParse(schema).data?.examples[0] ?? `{${name}}`),
    path,
  )
  const [example] = Object.values(requestBody?.content['application/json']?.examples ?? {})
  const options = [
    `${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"$HUB${filled}"`,
    ...(security.some((scheme) => 'bearer' in scheme) ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(example ? ["-H 'Content-Type: application/json'", `-d '${bodyOf(example.value)}'`] : []),
  ]
  return `curl -s ${options.join(' \\\n  ')}`
}

/** JSON for a shell between single quotes. */
function bodyOf(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll("'", String.raw`'\''`)
}

/** The templates of the calls: the page puts one into an operation when a reader opens it. */
export function callTemplates(say: Say, calls: readonly Call[]): Html[] {
  const title = say({ en: 'TypeScript client', vi: 'Client TypeScript' })
  return calls.map(
    ({ operationId, curl, client }) =>
      html`<template data-calls="${operationId}"><div class="calls">${codeBlock(say, `${operationId}-curl`, 'curl', 'sh', curl)}${codeBlock(say, `${operationId}-client`, title, 'mts', client)}</div></template>\n`,
  )
}
