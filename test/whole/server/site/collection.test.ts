import { fileURLToPath } from 'node:url'
import {
  bruToEnvJsonV2,
  bruToJsonV2,
  collectionBruToJson,
  envJsonToBruV2,
  jsonToBruV2,
  jsonToCollectionBru,
} from '@usebruno/lang'
import { describe, expect, it } from 'vitest'
import { createTestApi } from '../../../support/api.ts'
import { checksumVectors, toBeSigned } from '../../../support/checksum-vectors.ts'
import { settle } from '../../../support/clock.ts'
import {
  COLLECTION,
  collectionFiles,
  readCollection,
  runScript,
  sendBruno,
} from '../../../support/http/bruno.ts'
import { brunoRequests } from '../../../support/http/bruno-collection.ts'

const { requests, bearer, environment } = readCollection()

describe('the Bruno collection', () => {
  it.each([...collectionFiles()])("has %s in Bruno's own format", (name, text) => {
    const again = name.startsWith('environments/')
      ? envJsonToBruV2(bruToEnvJsonV2(text))
      : name === 'collection.bru'
        ? jsonToCollectionBru(collectionBruToJson(text))
        : jsonToBruV2(bruToJsonV2(text))
    expect(again).toBe(text)
  })

  it('has the requests that follow from the OpenAPI document (`npx vitest run FILE -u` writes them), and no other', async () => {
    const { body } = await createTestApi().request('GET', '/openapi.json')
    const derived = brunoRequests(body)
    const own = ['collection.bru', 'environments/local.bru']
    expect([...collectionFiles().keys()]).toEqual([...derived.keys(), ...own].toSorted())
    for (const [name, text] of derived)
      await expect(text).toMatchFileSnapshot(fileURLToPath(new URL(name, COLLECTION)))
  })

  it('declares the client secret as a secret, without its value', () => {
    expect(environment).toContainEqual(
      expect.objectContaining({ name: 'clientSecret', secret: true, value: '' }),
    )
  })

  it('runs from the token to the proof, and cleans up', async () => {
    const api = createTestApi()
    const { clientId, clientSecret } = await api.partner()
    const device = await api.device('SHOP-0001')
    const variables = new Map(environment.map(({ name, value }) => [name, value]))
    for (const [name, value] of Object.entries({ clientId, clientSecret })) variables.set(name, value)

    for (const request of requests) {
      const answer = await sendBruno(api, request, { bearer, variables })
      await settle()
      if (request.meta.name === 'Send code') variables.set('verificationCode', device.code())
      if (request.meta.name === 'Transaction')
        expect(answer.body).toMatchObject({ outcome: 'bill_paid', announcements: [{ stage: 'played' }] })
    }
    expect(device.heard.map(({ t }) => t)).toContain('announce')
    expect(requests.every(({ assertions }) => assertions.some(({ name }) => name === 'res.status'))).toBe(
      true,
    )
  })
})

describe('the script that signs a callback', () => {
  const script = requests.find(({ meta }) => meta.name === 'Payment callback')?.script.req ?? ''
  const sign = (body: object, variables: Record<string, string>) =>
    runScript(script, {
      variables: new Map(Object.entries(variables)),
      now: () => 0,
      body: { ...body },
    })
  const { key: clientSecret, vectors } = checksumVectors

  it.each(toBeSigned)('makes $hex', ({ fields, hex }) => {
    expect(sign(fields, { clientSecret })).toEqual({ ...fields, checkSum: hex })
  })

  it.each(vectors.slice(0, 1))('signs the values of variables, and not their names', ({ fields, hex }) => {
    const body = { ...fields, notice: '{{words}}' }
    expect(sign(body, { clientSecret, words: fields.notice })).toEqual({ ...fields, checkSum: hex })
  })

  it('names the missing secret when it is not set', () => {
    expect(() => sign({}, { clientSecret: '' })).toThrow('no clientSecret')
  })
})
