import { describe, expect, it } from 'vitest'
import { createTestApi } from '../../../../support/api.ts'
import { answerIn, answersIn, type RawAnswer, serveHttp } from '../../../../support/http/raw-http.ts'

const TOKEN = '/api/v1/partner/auth/token'
const HOST = 'Host: hub\r\n'
const JSON_TYPE = 'Content-Type: application/json\r\n'

async function world() {
  const api = createTestApi()
  const { open } = await serveHttp(api)
  /** Sends the bytes and resolves with everything received until the server closes the connection. */
  const say = (...parts: string[]) => {
    const connection = open()
    connection.send(...parts)
    return connection.closed
  }
  const goesOn = async () =>
    expect(answerIn(await say(`GET /healthz HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`))).toMatchObject({
      status: 200,
      body: '{"status":"ok"}',
    })
  return { api, open, say, goesOn }
}

function expectRefusal({ status, headers, body }: RawAnswer, code: number, error: string) {
  expect(JSON.parse(body)).toEqual({
    ...{ code, error, message: expect.any(String), details: [] },
    requestId: headers.get('x-request-id'),
  })
  expect(status).toBe(Math.floor(code / 100))
  expect(headers.get('content-type')).toMatch(/^application\/json/)
  expect(headers.get('x-request-id')).toMatch(/^[\w=-]{1,128}$/)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('connection')).toBe('close')
  expect(headers.has('date')).toBe(true)
}

const post = (headers: string, body = '') => `POST ${TOKEN} HTTP/1.1\r\n${HOST}${headers}\r\n${body}`
const get = (headers: string) => `GET /healthz HTTP/1.1\r\n${HOST}${headers}\r\n`

describe('a message that is not HTTP/1.1', () => {
  it.each([
    ['plain text', 'hello\r\n\r\n'],
    ['a TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ["HTTP/2's preface", 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['HTTP/0.9', 'GET /healthz\r\n\r\n'],
    ['an address where the path belongs', `GET hub:443 HTTP/1.1\r\n${HOST}\r\n`],
    ['HTTP/1.2', `GET /healthz HTTP/1.2\r\n${HOST}\r\n`],
    ['a method that nobody knows', `BREW /healthz HTTP/1.1\r\n${HOST}\r\n`],
    ['a method in small letters', `get /healthz HTTP/1.1\r\n${HOST}\r\n`],
    ['a length and chunks at once', post('Content-Length: 4\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n')],
    ['two lengths', post('Content-Length: 1\r\nContent-Length: 2\r\n', 'ab')],
    ['a negative length', post('Content-Length: -1\r\n', 'a')],
    ['a length with a sign', post('Content-Length: +2\r\n', 'ab')],
    ['a length beyond all numbers', post(`Content-Length: ${'9'.repeat(30)}\r\n`, 'ab')],
    ['an unknown transfer coding', post('Transfer-Encoding: xchunked\r\n', '0\r\n\r\n')],
    ['chunks that are not last', post('Transfer-Encoding: chunked, identity\r\n', '0\r\n\r\n')],
    ['a chunk without a size', post(`${JSON_TYPE}Transfer-Encoding: chunked\r\n`, 'ZZ\r\n')],
    ['a chunk longer than its size', post(`${JSON_TYPE}Transfer-Encoding: chunked\r\n`, '1\r\nabc\r\n')],
    ['a folded header', get('X: a\r\n b\r\n')],
    ['lines that end in LF alone', 'GET /healthz HTTP/1.1\nHost: hub\n\n'],
    ['a header that ends in LF alone', get('X: a\nY: b\r\n')],
    ['a NUL in a header', get('X: a\0b\r\n')],
    ["a control character in a header's name", get('X\x01: a\r\n')],
    ["a space behind a header's name", get('X : a\r\n')],
    ['a header without a name', get(': a\r\n')],
    ['a space in the target', `GET /health z HTTP/1.1\r\n${HOST}\r\n`],
  ])("is 400 in the hub's shape, and the connection is closed: %s", async (_, bytes) => {
    const { say, goesOn } = await world()
    expectRefusal(answerIn(await say(bytes)), 40003, 'MALFORMED_HTTP')
    await goesOn()
  })

  it.each([
    ['no Host', 'GET /healthz HTTP/1.1\r\n'],
    ['two Hosts', `GET /healthz HTTP/1.1\r\n${HOST}Host: other\r\n`],
    ['a Host that is none', 'GET /healthz HTTP/1.1\r\nHost: a b\r\n'],
    ['a URL of another scheme', `GET ftp://hub/healthz HTTP/1.1\r\n${HOST}`],
  ])('or has no target here is 400 with the id of the request: %s', async (_, head) => {
    const { say } = await world()
    const answer = answerIn(await say(`${head}X-Request-Id: mine-1\r\nConnection: close\r\n\r\n`))
    expectRefusal(answer, 40003, 'MALFORMED_HTTP')
    expect(answer.headers.get('x-request-id')).toBe('mine-1')
  })
})

describe('a message that is too large', () => {
  it.each([
    ['one header', get(`X: ${'x'.repeat(9_000)}\r\n`)],
    ['many headers', get('a: b\r\n'.repeat(2_000))],
    ['a path', `GET /${'x'.repeat(9_000)} HTTP/1.1\r\n${HOST}\r\n`],
    ["a header's name", get(`${'x'.repeat(9_000)}: x\r\n`)],
    [
      'what follows the chunks',
      post(
        `${JSON_TYPE}Transfer-Encoding: chunked\r\n`,
        `2\r\n{}\r\n0\r\n${`X: ${'x'.repeat(9_000)}\r\n`}\r\n`,
      ),
    ],
  ])('is 431 when it is %s', async (_, bytes) => {
    const { say, goesOn } = await world()
    expectRefusal(answerIn(await say(bytes)), 43100, 'HEADERS_TOO_LARGE')
    await goesOn()
  })

  it('is answered while the client still sends', async () => {
    const { say } = await world()
    const said = await say(`GET /healthz HTTP/1.1\r\n${HOST}X: `, 'x'.repeat(4_000_000))
    expectRefusal(answerIn(said), 43100, 'HEADERS_TOO_LARGE')
  })

  it('is 200 below 8 KiB', async () => {
    const { say } = await world()
    const said = await say(get(`X: ${'x'.repeat(7_900)}\r\nConnection: close\r\n`))
    expect(answerIn(said).status).toBe(200)
  })

  it.each([
    ['is declared', post(`${JSON_TYPE}Content-Length: 100000000\r\n`), 'x'.repeat(100_000)],
    [
      'is never told',
      post(`${JSON_TYPE}Transfer-Encoding: chunked\r\n`),
      `1000\r\n${'x'.repeat(0x1000)}\r\n`.repeat(20),
    ],
  ])('is 413 when the length of a body %s, and is not read to the end', async (_, head, body) => {
    const { say, goesOn } = await world()
    const { status, body: said } = answerIn(await say(head, body))
    expect(status).toBe(413)
    expect(JSON.parse(said)).toMatchObject({ code: 41300, error: 'PAYLOAD_TOO_LARGE' })
    await goesOn()
  })

  it("is 413 when a chunk's extensions are larger than a body may be", async () => {
    const { say } = await world()
    const said = await say(post(`${JSON_TYPE}Transfer-Encoding: chunked\r\n`), `1;${'x'.repeat(20_000)}`)
    expectRefusal(answerIn(said), 41300, 'PAYLOAD_TOO_LARGE')
  })

  it('is refused before the body when the client expects 100-continue', async () => {
    const { open } = await world()
    const connection = open()
    connection.send(post(`${JSON_TYPE}Expect: 100-continue\r\nContent-Length: 20000000\r\n`))
    expect(answersIn(await connection.closed).map(({ status }) => status)).toEqual([413])
  })
})

describe('an unusual but valid request', () => {
  it('may be HTTP/1.0, with and without a Host', async () => {
    const { say } = await world()
    for (const headers of ['', HOST])
      expect(answerIn(await say(`GET /healthz HTTP/1.0\r\n${headers}\r\n`)).status).toBe(200)
  })

  it('may have an absolute URL as its target', async () => {
    const { say } = await world()
    const said = await say(`GET http://other.example/healthz HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`)
    expect(answerIn(said).status).toBe(200)
  })

  it('may have an expectation: 100-continue is met, others are ignored', async () => {
    const { say } = await world()
    const login = (expected: string) =>
      say(post(`${JSON_TYPE}Expect: ${expected}\r\nContent-Length: 2\r\nConnection: close\r\n`, '{}'))
    expect(answersIn(await login('100-continue')).map(({ status }) => status)).toEqual([100, 400])
    expect(answersIn(await login('coffee')).map(({ status }) => status)).toEqual([400])
  })

  it.each(['h2c', 'websocket', 'TLS/1.0'])('may offer an upgrade to %s, which is ignored', async (to) => {
    const { say } = await world()
    const said = await say(get(`Connection: Upgrade, close\r\nUpgrade: ${to}\r\n`))
    expect(answerIn(said).status).toBe(200)
  })

  it('may be pipelined: responses come in the order of requests', async () => {
    const { say } = await world()
    const ask = (path: string, id: string, more = '') =>
      `GET ${path} HTTP/1.1\r\n${HOST}X-Request-Id: ${id}\r\n${more}\r\n`
    const said = await say(
      ask('/readyz', '1') + ask('/nowhere', '2') + ask('/healthz', '3', 'Connection: close\r\n'),
    )
    expect(answersIn(said).map(({ status, headers }) => [status, headers.get('x-request-id')])).toEqual([
      [200, '1'],
      [404, '2'],
      [200, '3'],
    ])
  })
})

describe('a request before a broken one', () => {
  it('gets its response first', async () => {
    const { say } = await world()
    const said = await say(`GET /readyz HTTP/1.1\r\n${HOST}X-Request-Id: 1\r\n\r\ngarbage\r\n\r\n`)
    const [first, second, ...more] = answersIn(said)
    expect(first).toMatchObject({ status: 200, body: '{"status":"ready"}' })
    expect(first?.headers.get('x-request-id')).toBe('1')
    if (second) expectRefusal(second, 40003, 'MALFORMED_HTTP')
    expect([second === undefined, more.length]).toEqual([false, 0])
  })

  it('that is answered gets no second response when its body turns out to be broken', async () => {
    const { open } = await world()
    const connection = open()
    connection.send(`POST /nowhere HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`)
    await new Promise((resolve) => connection.socket.once('data', resolve))
    connection.send('ZZ\r\n')
    expect(answersIn(await connection.closed).map(({ status }) => status)).toEqual([404])
  })
})

it('a request whose body is broken gets its own id back', async () => {
  const { say } = await world()
  const answer = answerIn(await say(post('X-Request-Id: mine-1\r\nTransfer-Encoding: chunked\r\n', 'ZZ\r\n')))
  expectRefusal(answer, 40003, 'MALFORMED_HTTP')
  expect(answer.headers.get('x-request-id')).toBe('mine-1')
})

describe('methods', () => {
  it.each(['OPTIONS', 'TRACE', 'PURGE', 'DELETE'])(
    'that no path takes are 405 with Allow: %s',
    async (method) => {
      const { say } = await world()
      const said = await say(`${method} /healthz HTTP/1.1\r\n${HOST}Cookie: a=b\r\nConnection: close\r\n\r\n`)
      const answer = answerIn(said)
      expectRefusal(answer, 40500, 'METHOD_NOT_ALLOWED')
      expect(answer.headers.get('allow')).toBe('GET, HEAD')
      expect(said).not.toContain('a=b')
    },
  )

  it.each([
    ['CONNECT', `CONNECT other.example:443 HTTP/1.1\r\n${HOST}`],
    ['OPTIONS', `OPTIONS * HTTP/1.1\r\n${HOST}Connection: close\r\n`],
  ])('without a path are 405: %s', async (_, head) => {
    const { say } = await world()
    const answer = answerIn(await say(`${head}X-Request-Id: mine-1\r\n\r\n`))
    expectRefusal(answer, 40500, 'METHOD_NOT_ALLOWED')
    expect(answer.headers.get('allow')).toContain('POST')
    expect(answer.headers.get('x-request-id')).toBe('mine-1')
  })

  it('HEAD answers like GET, without a body', async () => {
    const { say } = await world()
    const ask = (method: string) => say(`${method} /healthz HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`)
    const [head, whole] = [answerIn(await ask('HEAD')), answerIn(await ask('GET'))]
    expect(head.status).toBe(200)
    expect(head.body).toBe('')
    const names = ({ headers }: RawAnswer) =>
      [...headers.keys()].filter((name) => name !== 'content-length').sort()
    expect(names(head)).toEqual(names(whole))
  })
})
