import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import {
  AFTER_CALLBACK,
  AFTER_ERROR,
  afterCallbackMarkdown,
  type NextStep,
} from '../../../../server/http/errors/after-callback.ts'
import { publicError } from '../../../../server/http/errors/catalogue.ts'
import { ERRORS, type ErrorName } from '../../../../server/platform/errors.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { type Answer, createTestApi, createTestShop, stringAt } from '../../../support/api.ts'
import { signedCallback } from '../../../support/callback.ts'
import { ROOT } from '../../../support/docs/markdown.ts'
import { answerIn, LONG, serveHttp } from '../../../support/http/raw-http.ts'
import { parseJson } from '../../../support/parse-json.ts'

const PATH = '/api/v1/partner/payment/callback'
const DAY_MS = 24 * 3_600_000

type CallbackError = keyof typeof AFTER_ERROR
const NAMES = Object.keys(AFTER_ERROR) as CallbackError[]

/** A processor of a shop: the callback that it sends each time, and how. */
async function processor() {
  const shop = await createTestShop({ rate: { perSecond: 1, burst: 3 } })
  const { api, partner } = shop
  await api.clock.wind(60_000)
  const own = {
    ...shop,
    token: partner.token as string | undefined,
    headers: {} as Record<string, string>,
    body: signedCallback(partner.clientSecret) as unknown,
    sign(changes: Parameters<typeof signedCallback>[1]) {
      own.body = signedCallback(partner.clientSecret, changes)
    },
    send: (): Promise<Answer> =>
      api.request('POST', PATH, {
        ...(own.token !== undefined && { token: own.token }),
        ...{ body: own.body, headers: own.headers },
      }),
  }
  return own
}
type Processor = Awaited<ReturnType<typeof processor>>

/** What a processor without a library sends, and what the real server says before it closes the connection. */
const bytesOf = ({ token, body }: Processor, headers: string, cut = 0) => {
  const text = JSON.stringify(body)
  const length = Buffer.byteLength(text)
  // Latin-1, as raw-http.ts sends it: the bytes of UTF-8.
  const bytes = Buffer.from(text)
    .toString('latin1')
    .slice(0, length - cut)
  return `POST ${PATH} HTTP/1.1\r\nHost: hub\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n${headers}Content-Length: ${length}\r\nConnection: close\r\n\r\n${bytes}`
}

async function overSockets(own: Processor, headers = '', cut = 0, patience = LONG) {
  const { open } = await serveHttp(own.api, patience)
  own.send = async () => {
    const connection = open()
    connection.send(bytesOf(own, headers, cut))
    const { status, headers: said, body: text } = answerIn(await connection.closed)
    return { status, headers: new Headers([...said]), body: parseJson(text), text }
  }
}

/** How a callback comes to get each error. What has to change before a repeat can succeed is returned. */
const CAUSES: Record<CallbackError, (own: Processor) => unknown> = {
  INVALID_TOKEN(own) {
    own.token = 'sba_dead'
  },
  async TOKEN_EXPIRED({ api }) {
    await api.clock.wind(3_600_000)
  },
  async RATE_LIMITED(own) {
    own.sign({ terminalID: 'NONE' })
    for (let sent = 0; sent < 3; sent += 1) await own.send()
  },
  UNAVAILABLE(own) {
    own.api.readiness = 'clock'
    own.sign({ payDate: new Date(own.api.clock.now() + DAY_MS + 20_000).toISOString() })
  },
  async REQUEST_TIMEOUT(own) {
    await overSockets(own, '', 5, { ...LONG, requestMs: 100, headersMs: 100 })
    return () => overSockets(own)
  },
  INTERNAL({ api }) {
    const broken = vi.spyOn(api.storage.payments, 'record').mockRejectedValue(new Error('a bug'))
    return () => broken.mockRestore()
  },
  MALFORMED_JSON(own) {
    own.body = '{'
  },
  VALIDATION_FAILED: (own) => own.sign({ transactionAmount: '0' }),
  MALFORMED_HTTP: (own) => overSockets(own, 'no header\r\n'),
  CHECKSUM_MISMATCH(own) {
    own.body = { ...signedCallback('another secret') }
  },
  BODY_STORE_NOT_FOUND: (own) => own.sign({ terminalID: 'NONE' }),
  async TRANSACTION_CONFLICT(own) {
    await own.send()
    own.sign({ transactionAmount: '1' })
  },
  MISSING_CREDENTIALS(own) {
    own.token = undefined
  },
  CLIENT_ID_MISMATCH(own) {
    own.headers = { 'x-client-id': 'sbc_another' }
  },
  CLIENT_DISABLED: ({ api, partner }) =>
    api.storage.partners.disable(OPERATOR, partner.clientId, api.clock.now()),
  PAYLOAD_TOO_LARGE: (own) => own.sign({ notice: 'x'.repeat(17_000) }),
  UNSUPPORTED_MEDIA_TYPE(own) {
    own.headers = { 'Content-Type': 'text/plain' }
  },
  HEADERS_TOO_LARGE: (own) => overSockets(own, `X-Long: ${'x'.repeat(9_000)}\r\n`),
}

/** Does what the table says, as often as it helps, and answers what the hub says then. */
const FOLLOWED: Record<Exclude<NextStep, 'done'>, (own: Processor, first: Answer) => Promise<Answer>> = {
  async renew(own) {
    await own.partner.logIn()
    own.token = own.partner.token
    return own.send()
  },
  async wait(own, first) {
    const seconds = Number(first.headers.get('Retry-After'))
    expect(seconds).toBeGreaterThan(0)
    await own.api.clock.wind(seconds * 1_000)
    own.api.readiness = 'ready'
    return own.send()
  },
  pause: (own) => own.send(),
  stop: (own) => own.send(),
}

describe('the table "After a callback"', () => {
  it.each(NAMES)('is right about %s', async (name) => {
    const own = await processor()
    const cure = await CAUSES[name](own)
    const first = await own.send()
    const { code, status } = publicError(name)
    expect(first).toMatchObject({ status, body: { code } })
    if (typeof cure === 'function') await cure()

    const [next] = AFTER_ERROR[name]
    const then = await FOLLOWED[next](own, first)
    if (next === 'stop') expect(then.body).toMatchObject({ code })
    // The limit had kept the refusal itself back.
    else if (name === 'RATE_LIMITED') expect(then.body).toMatchObject({ code: 40016 })
    else expect(then.status).toBe(200)
  })

  it('says of a dead token beyond the limit of strangers that it gets 42900, and 40101 after the wait', async () => {
    const own = await processor()
    own.token = 'sba_dead'
    const answers = await Promise.all(Array.from({ length: 160 }, own.send))
    const limited = answers.filter(({ status }) => status === 429)
    expect(new Set(answers.map(({ body }) => Object(body).code))).toEqual(new Set([40101, 42900]))
    const [first] = limited
    expect(first && (await FOLLOWED.wait(own, first)).body).toMatchObject({ code: 40101 })
    expect(first && (await FOLLOWED.renew(own, first)).status).toBe(200)
  })

  it('has each code that the operation is described with, those that come before HTTP is read, and no other', async () => {
    const { paths } = Object((await createTestApi().request('GET', '/openapi.json')).body)
    const described = Object.entries(paths[PATH].post.responses).flatMap(([, response]) => {
      const { schema } = Object(response).content['application/json']
      return (schema.allOf ?? []).flatMap((part: unknown) => Object(part).properties?.code?.enum ?? [])
    })
    const early: ErrorName[] = ['MALFORMED_HTTP', 'REQUEST_TIMEOUT', 'HEADERS_TOO_LARGE']
    const codes = [...described, ...early.map((name) => publicError(name).code)]
    const rows = AFTER_CALLBACK.flatMap(({ answer }) => /^`(\d{5})`$/.exec(answer)?.[1] ?? [])
    expect(rows.map(Number).sort()).toEqual(codes.sort())
  })

  it('is in docs/partners.md and in the OpenAPI document (put there what afterCallbackMarkdown returns)', async () => {
    const table = afterCallbackMarkdown()
    expect(readFileSync(join(ROOT, 'docs/partners.md'), 'utf8')).toContain(table)
    const { paths } = Object((await createTestApi().request('GET', '/openapi.json')).body)
    expect(paths[PATH].post.description).toContain(table)
  })

  it('is in the quickstart, a row for a row', async () => {
    const page = await createTestApi().text('/docs/quickstart')
    const table = page.slice(page.indexOf('id="after-callback"')).split('</table>')[0] ?? ''
    const rows = table.split('<tr data-next=').slice(1)
    expect(rows).toHaveLength(AFTER_CALLBACK.length)
    for (const [at, { answer, error, meaning, todo }] of AFTER_CALLBACK.entries()) {
      const text = rows[at]?.replace(/<[^>]*>/g, ' ').replaceAll('&quot;', '"') ?? ''
      for (const said of [answer, error ?? '', meaning, todo])
        for (const part of said.split('`')) expect(text).toContain(part.trim())
    }
  })
})

describe('what the pages say of codes', () => {
  it('has in docs/partners.md each code under its name', () => {
    const errors = readFileSync(join(ROOT, 'docs/partners.md'), 'utf8').split('\n## Errors\n')[1] ?? ''
    const rows = [...errors.matchAll(/^\| ([\d, ]+) \| ([`\w, ]+) \|/gm)].flatMap(
      ([, codes = '', names = '']) => {
        const named = names.match(/\w+/g) ?? []
        return (codes.match(/\d+/g) ?? []).map((code, at) => `${code} ${named[at]}`)
      },
    )
    const known = Object.keys(ERRORS).map((name) => publicError(name as ErrorName))
    expect(rows.sort()).toEqual(known.map(({ code, error }) => `${code} ${error}`).sort())
  })

  it('of 42902: the right secret works at once after wrong ones', async () => {
    const { api, partner } = await createTestShop()
    const { clientId, clientSecret } = partner
    const logIn = (secret: string) =>
      api.request('POST', '/api/v1/partner/auth/token', { body: { clientId, clientSecret: secret } })
    const wrong = await Promise.all(Array.from({ length: 11 }, () => logIn('sbs_wrong')))
    expect(wrong.at(-1)?.body).toMatchObject({ code: 42902 })
    expect((await logIn(clientSecret)).status).toBe(200)
    expect((await logIn('sbs_wrong')).body).toMatchObject({ code: 42902 })
  })

  it('of a payment without an ftCode: the search by its id and by its traceTransfer has the proof', async () => {
    const { partner, device, api } = await createTestShop()
    await api.clock.wind(1_000)
    expect((await partner.pay({ ftCode: '', traceTransfer: 'TR-9' })).status).toBe(200)
    await vi.waitFor(() => expect(device.heard.some(({ t }) => t === 'announce')).toBe(true))
    const search = (query: string) => partner.call('GET', `/payment/transactions?${query}`)
    const found = await search('traceTransfer=TR-9')
    const id = stringAt(found, 'data', 0, 'id')
    const proof = { id, announcements: [{ deviceSerial: 'SB-0001' }] }
    expect(found.body).toMatchObject({ data: [proof] })
    expect((await search(`id=${id}`)).body).toMatchObject({ data: [proof] })
  })
})
