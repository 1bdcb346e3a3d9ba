import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Description, operationsOf } from '../../../clients/typescript/generate/description.ts'
import { operationsText } from '../../../clients/typescript/generate/operations-text.ts'
import { fingerprintOf, stamp } from '../../../clients/typescript/generate/stamp.ts'
import { HubClient } from '../../../clients/typescript/src/index.ts'
import { createTestApi } from '../../support/api.ts'
import { withFile } from '../../support/folder.ts'
import { createStage } from './stage.ts'

const onEnd = withFile()
let description: Description
beforeAll(async () => {
  description = JSON.parse(await createTestApi({ onEnd }).text('/openapi.json'))
})

const generated = (name: string) =>
  readFileSync(new URL(`../../../clients/typescript/src/generated/${name}.ts`, import.meta.url), 'utf8')
/** A long test has the types made anew: their generator has packages of its own. */
const INSTEAD = 'run `npm ci && npm run generate` in clients/typescript'

describe('what is generated', () => {
  it('is of the OpenAPI document that the hub serves', () => {
    const first = stamp(fingerprintOf(description))
    expect(generated('operations'), INSTEAD).toBe(first + operationsText(description))
    expect(generated('types').startsWith(first), INSTEAD).toBe(true)
  })

  it('changes with the type of a field, and not with what only a validator reads', () => {
    const change = (...changes: [from: string | RegExp, to: string][]) => {
      let text = JSON.stringify(description)
      for (const [from, to] of changes) text = text.replaceAll(from, to)
      return fingerprintOf(JSON.parse(text))
    }
    const first = fingerprintOf(description)
    expect(change(['"minLength":1', '"minLength":2'])).toBe(first)
    expect(change(['"storeName":{"type":"string"', '"storeName":{"type":"number"'])).not.toBe(first)
    expect(change(['"code":40014', '"code":40099'])).not.toBe(first)
  })
})

describe('the client', () => {
  it('has a method for each operation, which sends it to its path', async () => {
    for (const { operationId, method, path, requestBody } of operationsOf(description)) {
      const { hub, requests, logins } = createStage(() => Response.json({}), {
        auth: () => Response.json({ accessToken: 'a', refreshToken: 'r', expiresIn: 60 }),
      })
      const places = [...path.matchAll(/\{\w+\}/g)].map(() => 'a b/c')
      const call: unknown = Reflect.get(HubClient.prototype, operationId)
      if (typeof call !== 'function') throw new Error(`clients/typescript has no method ${operationId}`)
      const isFile = requestBody !== undefined && !requestBody.content['application/json']
      await call.apply(hub, [...places, isFile ? '<x/>' : {}])
      const sent = [...logins, ...requests].at(-1)
      const expected = path.replaceAll(/\{\w+\}/g, 'a%20b%2Fc')
      expect(`${sent?.method} /api/v1/partner${sent?.path}`).toBe(`${method} ${expected}`)
      expect({ operationId, hasBody: sent?.body !== undefined }).toEqual({
        operationId,
        hasBody: requestBody !== undefined,
      })
    }
  })
})
