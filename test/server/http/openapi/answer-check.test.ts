import { beforeAll, describe, expect, it } from 'vitest'
import { abilities, noHealth } from '../../../../server/http/openapi/examples/story.ts'
import { createTestApi } from '../../../support/api.ts'
import { withFile } from '../../../support/folder.ts'
import {
  type AnswerCheck,
  type Answered,
  type Asked,
  createAnswerCheck,
} from '../../../support/http/answer-check.ts'
import { readDescription } from '../../../support/http/openapi.ts'

/** Every test's responses go through this check, so it must refuse whatever the OpenAPI document does not describe. */

let check: AnswerCheck
const onEnd = withFile()
beforeAll(async () => {
  check = createAnswerCheck(readDescription(await createTestApi({ onEnd }).text('/openapi.json')))
})

const BASE = '/api/v1/partner'
const DETAIL = `${BASE}/device/SB-0001`
const DEVICE = {
  id: '01a1fe2b-90d0-72de-b511-76f425727500',
  serial: 'SB-0001',
  deviceName: 'SB-0001',
  active: true,
  connected: false,
  partnerClientId: '',
  rmCode: '',
  stores: [],
  health: noHealth,
  abilities,
}
const ERROR = { code: 40401, error: 'DEVICE_NOT_FOUND', message: 'No.', requestId: 'r', details: [] }
const TOKENS = {
  accessToken: 'a',
  tokenType: 'Bearer',
  expiresIn: 3600,
  refreshToken: 'r',
  refreshExpiresIn: 1,
}

/** A response of the hub. */
function answered(status: number, body: unknown, headers: Record<string, string | undefined> = {}): Answered {
  const all = { 'Content-Type': 'application/json', 'X-Request-Id': 'r', ...headers }
  const present = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return { status, headers: new Headers(Object.fromEntries(present)), text: JSON.stringify(body) }
}

const get = (url = DETAIL): Asked => ({ method: 'GET', url })
const logIn = (body: unknown): Asked => ({ method: 'POST', url: `${BASE}/auth/token`, body })
const notFound = { ...ERROR, code: 40400, error: 'ROUTE_NOT_FOUND' }
const notAllowed = { ...ERROR, code: 40500, error: 'METHOD_NOT_ALLOWED' }

describe('the check of responses', () => {
  it.each<[string, Asked, Answered]>([
    ['a success', get(), answered(200, DEVICE)],
    ['a success of HEAD', { method: 'HEAD', url: DETAIL }, { ...answered(200, DEVICE), text: '' }],
    ['an error', get(), answered(404, ERROR)],
    [
      'a body that extends another',
      logIn({ clientId: 'a', clientSecret: 'b' }),
      answered(200, TOKENS, { 'Cache-Control': 'no-store' }),
    ],
    ['a path that there is not', get(`${BASE}/nothing`), answered(404, notFound)],
    [
      'a method that a path does not take',
      { method: 'DELETE', url: DETAIL },
      answered(405, notAllowed, { Allow: 'GET, HEAD' }),
    ],
    ['a page', get('/docs'), answered(200, 'text', { 'Content-Type': 'text/html' })],
    ['a hub that is not ready', get('/readyz'), answered(503, { status: 'not ready' })],
  ])('accepts %s', (_, asked, answer) => {
    expect(() => check(asked, answer)).not.toThrow()
  })

  it.each<[string, Asked, Answered, RegExp]>([
    ['a status', get(), answered(202, DEVICE), /status 202/],
    ['a field', get(), answered(200, { ...DEVICE, colour: 'red' }), /colour/],
    ['a field of an error', get(), answered(404, { ...ERROR, stack: '' }), /stack/],
    [
      'a field inside',
      get(),
      answered(404, { ...ERROR, details: [{ field: 'a', issue: 'b', x: 1 }] }),
      /details\/0/,
    ],
    [
      'a field of an extended body',
      logIn(undefined),
      answered(200, { ...TOKENS, x: 1 }, { 'Cache-Control': 'no-store' }),
      /"x"/,
    ],
    ['a lack of a field', get(), answered(200, { ...DEVICE, serial: undefined }), /serial/],
    [
      'a lack of an inherited field',
      logIn(undefined),
      answered(200, { ...TOKENS, expiresIn: undefined }, { 'Cache-Control': 'no-store' }),
      /expiresIn/,
    ],
    ['another type', get(), answered(200, { ...DEVICE, active: 'yes' }), /active/],
    ['another format', get(), answered(200, { ...DEVICE, id: 'x' }), /uuid/],
    ['an error code', get(), answered(404, { ...ERROR, code: 40402 }), /code/],
    ["an error code's name", get(), answered(404, { ...ERROR, error: 'STORE_NOT_FOUND' }), /error/],
    ['a lack of a header', get(), answered(404, ERROR, { 'X-Request-Id': undefined }), /X-Request-Id/],
    [
      'a lack of a header of a status',
      get(),
      answered(401, { ...ERROR, code: 40101, error: 'INVALID_TOKEN' }),
      /WWW-Authenticate/,
    ],
    ['a header', get(), answered(200, DEVICE, { 'Idempotent-Replayed': 'true' }), /idempotent-replayed/],
    [
      "a header's value",
      get(),
      answered(429, { ...ERROR, code: 42900, error: 'RATE_LIMITED' }, { 'Retry-After': 'soon' }),
      /Retry-After/,
    ],
    ['another type of content', get(), answered(404, ERROR, { 'Content-Type': 'text/plain' }), /text\/plain/],
    [
      'success to a bad request',
      logIn({ clientId: 5, clientSecret: 'b' }),
      answered(200, TOKENS, { 'Cache-Control': 'no-store' }),
      /clientId/,
    ],
    ['success where nothing is', get(`${BASE}/nothing`), answered(200, DEVICE), /status 404/],
    [
      '404 where another method is taken',
      { method: 'DELETE', url: DETAIL },
      answered(404, notFound),
      /status 405/,
    ],
    [
      '405 without the method in Allow',
      { method: 'DELETE', url: DETAIL },
      answered(405, notAllowed, { Allow: 'PUT' }),
      /Allow/,
    ],
    ['an error of another shape where nothing is', get('/nowhere'), answered(404, { error: 'no' }), /code/],
  ])('refuses an undescribed response: %s', (_, asked, answer, why) => {
    expect(() => check(asked, answer)).toThrow(why)
  })

  it("finds the operation as the hub's router does", () => {
    const device = answered(200, { ...DEVICE, colour: 'red' })
    for (const url of [`http://127.0.0.1:8080${DETAIL}?a=b`, '/api/v1/partner/%64evice/x', `${DETAIL}#a`])
      expect(() => check(get(url), device)).toThrow(/colour/)
    expect(() => check(get(`${DETAIL}/`), answered(404, notFound))).not.toThrow()
  })
})
