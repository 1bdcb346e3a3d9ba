import { gzipSync } from 'node:zlib'
import { Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { describe, expect, it } from 'vitest'
import { onError } from '../../../../server/http/errors/respond.ts'
import type { HttpEnv } from '../../../../server/http/response/env.ts'
import { createFaultLog } from '../../../../server/platform/fault-log.ts'
import { createLog } from '../../../../server/platform/log.ts'
import { createTestApi } from '../../../support/api.ts'
import { createVirtualClock } from '../../../support/clock.ts'

const SEND = '/api/v1/partner/device/send-verification'
const BODY = JSON.stringify({ deviceSerial: 'SB-9999' })

async function world() {
  const api = createTestApi()
  const { token } = await api.partner()
  const send = (body: unknown, type = 'application/json') =>
    api.request('POST', SEND, { token, body, headers: { 'Content-Type': type } })
  return { api, token, send }
}

describe('every error', () => {
  it("has the interface's shape and the id of its request", async () => {
    const { api } = await world()
    const answer = await api.request('GET', '/nowhere')
    expect(answer.status).toBe(404)
    expect(answer.headers.get('Content-Type')).toMatch(/^application\/json/)
    expect(answer.body).toEqual({
      code: 40400,
      error: 'ROUTE_NOT_FOUND',
      message: expect.any(String),
      requestId: answer.headers.get('X-Request-Id'),
      details: [],
    })
  })

  it.each([
    '/api/v1',
    '/api/v1/partner',
    '/api/v2/partner/auth/token',
    '/api/v1/partner/device/a/b',
    '//',
    '/%',
  ])('is 40400 for an unknown path: %s', async (path) => {
    const { api, token } = await world()
    expect((await api.request('GET', path, { token })).body).toMatchObject({ code: 40400 })
  })
})

describe('X-Request-Id', () => {
  it.each(['abc-DEF_123', 'x'.repeat(128), '0f8fad5b-d9cb-469f-a165-70867728950e'])(
    'is adopted: %s',
    async (id) => {
      const { api, token } = await world()
      const headers = { 'X-Request-Id': id }
      for (const path of ['/healthz', '/nowhere', '/api/v1/partner/device/NONE-1', '/openapi.json'])
        expect((await api.request('GET', path, { token, headers })).headers.get('X-Request-Id')).toBe(id)
      const refused = await api.request('POST', SEND, { body: '{', token, headers })
      expect(refused.body).toMatchObject({ requestId: id })
    },
  )

  it.each(['', 'a b', '<script>', 'x'.repeat(129), 'a;b'])('is replaced when malformed: %j', async (id) => {
    const { api } = await world()
    const made = (await api.request('GET', '/nowhere', { headers: { 'X-Request-Id': id } })).headers.get(
      'X-Request-Id',
    )
    expect(made).toMatch(/^[\w-]{8,128}$/)
    expect(made).not.toBe(id)
  })

  it('is different for every request', async () => {
    const { api } = await world()
    const ids = await Promise.all(Array.from({ length: 20 }, () => api.request('GET', '/healthz')))
    expect(new Set(ids.map((answer) => answer.headers.get('X-Request-Id'))).size).toBe(20)
  })
})

describe('a method that a path does not take', () => {
  it.each([
    ['GET', '/api/v1/partner/auth/token', 'POST'],
    ['PUT', '/api/v1/partner/payment/callback', 'POST'],
    ['POST', '/api/v1/partner/device/update-status', 'PATCH'],
    ['DELETE', '/api/v1/partner/store/x', 'PUT'],
    ['POST', '/healthz', 'GET'],
    ['POST', '/api/v1/partner/payment/transactions/x', 'GET'],
  ])('%s %s is 405 with %s in Allow', async (method, path, allowed) => {
    const { api, token } = await world()
    const answer = await api.request(method, path, { token })
    expect(answer.status).toBe(405)
    expect(answer.body).toMatchObject({ code: 40500, error: 'METHOD_NOT_ALLOWED' })
    expect(answer.headers.get('Allow')?.split(/, */)).toContain(allowed)
  })
})

describe('a body', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'Application/JSON',
    'application/json ; charset=utf-8 ',
    'application/json;',
  ])('is accepted as %s', async (type) => {
    const { send } = await world()
    expect((await send(BODY, type)).body).toMatchObject({ code: 40013 })
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonx',
    'application/json; charset=latin1',
    'application/xml',
    'application/json; charset = utf-8',
    '',
  ])('is refused with 415 as %j', async (type) => {
    const { send } = await world()
    const answer = await send(BODY, type)
    expect(answer.status).toBe(415)
    expect(answer.body).toMatchObject({ code: 41500, error: 'UNSUPPORTED_MEDIA_TYPE' })
  })

  it.each(['gzip', 'deflate', 'br', 'zstd', 'GZIP', 'identity, gzip', ''])(
    'is refused with 415 when it is encoded as %j',
    async (encoding) => {
      const { api, token } = await world()
      const headers = { 'Content-Encoding': encoding }
      const body = new Uint8Array(gzipSync(BODY))
      expect((await api.request('POST', SEND, { token, body, headers })).body).toMatchObject({ code: 41500 })
      const plain = { 'Content-Encoding': 'identity' }
      const taken = await api.request('POST', SEND, { token, body: BODY, headers: plain })
      expect(taken.body).toMatchObject({ code: 40013 })
    },
  )

  it.each<[string, string | Uint8Array]>([
    ['no JSON', '{'],
    ['empty', ''],
    ['an array', '[]'],
    ['a text', '"x"'],
    ['null', 'null'],
    ['two objects', '{}{}'],
    ['ill-formed UTF-8', new Uint8Array([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d])],
    ['a surrogate in UTF-8', new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['UTF-16', new Uint8Array(Buffer.from(BODY, 'utf16le'))],
  ])('that is %s is 40000', async (_, body) => {
    const { send } = await world()
    const answer = await send(body)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ code: 40000, error: 'MALFORMED_JSON' })
  })

  it('with ill-formed UTF-8 in a text is refused, not corrected', async () => {
    const { send } = await world()
    const bytes = Buffer.concat([
      Buffer.from('{"deviceSerial":"SB-9999","x":"'),
      Buffer.from([0xff]),
      Buffer.from('"}'),
    ])
    expect((await send(new Uint8Array(bytes))).body).toMatchObject({ code: 40000 })
  })

  const padded = (bytes: number) => `${BODY.slice(0, -1)},"x":"${'x'.repeat(bytes - BODY.length - 7)}"}`
  it('may have 16 KiB and no more', async () => {
    const { send } = await world()
    expect(Buffer.byteLength(padded(16_384))).toBe(16_384)
    expect((await send(padded(16_384))).body).toMatchObject({ code: 40013 })
    const answer = await send(padded(16_385))
    expect(answer.status).toBe(413)
    expect(answer.body).toMatchObject({ code: 41300, error: 'PAYLOAD_TOO_LARGE' })
  })

  it('may have at most 16 KiB also without Content-Length', async () => {
    const { send } = await world()
    const stream = ReadableStream.from([Buffer.from(padded(16_385))])
    expect((await send(stream)).body).toMatchObject({ code: 41300 })
  })

  it('may be nested a thousand levels deep', async () => {
    const { send } = await world()
    const deep = `{"deviceSerial":"SB-9999","x":${'['.repeat(1_000)}${']'.repeat(1_000)}}`
    expect((await send(deep)).body).toMatchObject({ code: 40013 })
  })

  it('cannot change prototypes', async () => {
    const { send } = await world()
    expect((await send('{"__proto__":{"deviceSerial":"SB-9999"}}')).body).toMatchObject({ code: 40001 })
    expect((await send('{"deviceSerial":"SB-9999","constructor":1,"__proto__":{"a":1}}')).body).toMatchObject(
      { code: 40013 },
    )
  })
})

it('answers 503 with Retry-After when its storage fails, reveals nothing about it, and keeps running', async () => {
  const { api, token, send } = await world()
  await api.storage.close()
  const answer = await send(BODY)
  expect(answer).toMatchObject({ status: 503, body: { code: 50300, error: 'UNAVAILABLE' } })
  expect(answer.headers.get('Retry-After')).toBe('1')
  expect(JSON.stringify(answer.body)).not.toMatch(/sql|database|connection/i)
  const health = await api.request('GET', '/healthz', { token })
  expect(health.status).toBe(200)
})

describe('an error that a library throws', () => {
  const answer = async (thrown: Error) => {
    const lines: string[] = []
    const app = new Hono<HttpEnv>()
    const log = createLog('trace', { write: (line) => void lines.push(line) })
    app.onError(onError(log, createFaultLog(log, createVirtualClock(0), 'the storage refuses requests')))
    app.get('/', () => {
      throw thrown
    })
    const response = await app.request('/')
    const { status } = response
    const body = Object(await response.json())
    return { status, body, log: lines.join('') }
  }

  it.each([
    [400, 40000],
    [401, 40101],
    [404, 40400],
    [408, 40800],
    [413, 41300],
    [415, 41500],
    [429, 42900],
    [503, 50300],
  ] as const)("with status %i is the hub's error of that status", async (status, code) => {
    const secret = 'what the library says is not for partners'
    const answered = await answer(new HTTPException(status, { message: secret }))
    expect(answered).toMatchObject({ status, body: { code, error: expect.stringMatching(/^[A-Z_]+$/) } })
    expect(JSON.stringify(answered.body)).not.toContain(secret)
  })

  it.each([
    ['with a status that means nothing here', new HTTPException(418)],
    ['without a status', new TypeError('x is undefined')],
  ])('%s is a 500; only the log has its message', async (_, thrown) => {
    const { status, body, log } = await answer(thrown)
    expect([status, body.code]).toEqual([500, 50000])
    expect(log).toContain('request failed')
  })
})
