import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { story } from '../../../server/http/openapi/examples/story.ts'
import { UPLOAD_REFUSALS } from '../../../server/site/pages/quickstart-reconcile.ts'
import { CREATE_REFUSALS } from '../../../server/site/pages/quickstart-webhooks.ts'
import { EXAMPLE } from '../../../server/site/parts/calculator.ts'
import { LANGUAGES, readProcessors, readSamples } from '../../../server/site/parts/code.ts'
import { type CodeLanguage, highlight } from '../../../server/site/parts/highlight.ts'
import { html } from '../../../server/site/parts/html.ts'
import { INITIAL_VALUES } from '../../../server/site/parts/values.ts'
import { PREPARATION, PROOF, PROOF_REQUEST, REFRESH_REQUEST } from '../../../server/site/steps/proof.ts'
import {
  DAY,
  DAY_REQUEST,
  SAVE_PROFILE,
  SIGN,
  STATEMENT_PATH,
  UPLOAD_REQUEST,
} from '../../../server/site/steps/reconcile.ts'
import { SAMPLE_PAYMENT, STEPS } from '../../../server/site/steps/requests.ts'
import {
  CREATE_PATH,
  CREATE_REQUEST,
  CREATED,
  TEST_REQUEST,
  TRY,
  WATCH,
} from '../../../server/site/steps/webhooks.ts'
import { DELAYS_MS } from '../../../server/webhooks/send/endpoint/schedule.ts'
import { createTestApi, stringAt } from '../../support/api.ts'
import { checksumVectors } from '../../support/checksum-vectors.ts'

const [token, code, register, qr, callback] = STEPS
const api = createTestApi({ onEnd: afterAll })

/** A JSON value with the types of its texts, numbers and booleans. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]))
}

/** The visible text of HTML. */
const seen = (page: string) =>
  page
    .replace(/<[^>]*>/g, '')
    .replace(
      /&(lt|gt|quot|#39|amp);/g,
      (_, name) => Object({ lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' })[name],
    )

const STATIC_QR = Object(register.answer).store.staticQRCode

it("the responses in the quickstart have the fields of a real hub's", async () => {
  const partner = await api.partner()
  const { clientId, clientSecret } = partner
  const device = await api.device('SHOP-0001')
  const post = (step: { path: string }, body: object) =>
    api.request('POST', step.path, { token: partner.token, body })

  const tokens = await post(token, { clientId, clientSecret })
  expect({ status: tokens.status, shape: shapeOf(tokens.body) }).toEqual(documented(token))
  const sent = await post(code, { deviceSerial: device.serial })
  expect({ status: sent.status, shape: shapeOf(sent.body) }).toEqual(documented(code))
  const registered = await partner.register(device, { staticQRCode: STATIC_QR })
  expect({ status: registered.status, shape: shapeOf(registered.body) }).toEqual(documented(register))
  const storeId = stringAt(registered, 'store', 'id')
  const shown = await post(qr, { storeId, billNumber: 'BILL-1', transactionAmount: '50000' })
  expect({ status: shown.status, shape: shapeOf(shown.body) }).toEqual(documented(qr))
  const paid = await partner.pay({ billNumber: 'BILL-1' })
  expect({ status: paid.status, shape: shapeOf(paid.body) }).toEqual(documented(callback))
  const proof = await partner.call('GET', '/payment/transactions/FT0001')
  expect(Object.keys(Object(proof.body)).sort()).toEqual(Object.keys(PROOF).sort())
  expect(Object(proof.body).outcome).toBe(PROOF.outcome)

  const { url, types } = CREATED
  const created = await partner.call('POST', '/webhook', { url, types })
  expect({ status: created.status, shape: shapeOf(created.body) }).toEqual(
    documented({ status: 201, answer: CREATED }),
  )
  expect(created.body).toMatchObject({ url, types, state: CREATED.state, failingSince: null })
  const webhook = `/webhook/${stringAt(created, 'id')}`
  expect((await partner.call('POST', `${webhook}/test`)).status).toBe(202)
  expect((await partner.call('GET', `${webhook}/deliveries?limit=1`)).status).toBe(200)
})

const documented = ({ status, answer }: { status: number; answer: object }) => ({
  status,
  shape: shapeOf(answer),
})

describe('the quickstart', () => {
  it('shows every sample in every language, and each response', async () => {
    const page = seen(await api.text('/docs/quickstart'))
    const filled = (text: string) =>
      text.replaceAll(
        /\{\{(?:path:)?(\w+)\}\}/g,
        (_, name: string) => INITIAL_VALUES.get(name) ?? `YOUR_${name}`,
      )
    for (const step of STEPS) {
      const samples = await readSamples(step.sample)
      for (const { language } of LANGUAGES) expect(page).toContain(filled(samples[language]))
      expect(page).toContain(filled(JSON.stringify(step.answer, null, 2)))
      expect(page).toContain(step.path)
    }
    const shared = [await readSamples('hub'), await readSamples('receive'), await readProcessors()]
    const others = shared.flatMap((texts) => Object.values(texts))
    const webhooks = [WATCH, TRY, CREATE_REQUEST, TEST_REQUEST, JSON.stringify(CREATED, null, 2)]
    const reconcile = [SAVE_PROFILE, UPLOAD_REQUEST, DAY_REQUEST, DAY, SIGN]
    for (const text of [PREPARATION, PROOF_REQUEST, REFRESH_REQUEST, ...webhooks, ...reconcile, ...others])
      expect(page).toContain(filled(text))
  })

  it('tells the schedule by which a webhook is tried again, as the docs do', async () => {
    const inWords = (ms: number) =>
      ms < 60_000 ? `${ms / 1_000} s` : ms < 3_600_000 ? `${ms / 60_000} min` : `${ms / 3_600_000} h`
    const [, ...delays] = DELAYS_MS.map(inWords)
    const schedule = `${delays.slice(0, -1).join(', ')} and ${delays.at(-1)}`
    for (const text of [await api.text('/docs/quickstart'), readFileSync('docs/partners.md', 'utf8')])
      expect(text.replace(/\s+/g, ' ')).toContain(schedule)
  })

  it('leaves no placeholder open', async () => {
    expect(await api.text('/docs/quickstart')).not.toMatch(/\{\{|undefined|\[object/)
  })

  it('lists only errors that the operation has', async () => {
    const { paths } = Object((await api.request('GET', '/openapi.json')).body)
    const page = await api.text('/docs/quickstart')
    const create = { name: 'webhook', path: CREATE_PATH, refusals: CREATE_REFUSALS }
    const upload = { name: 'reconcile', path: STATEMENT_PATH, refusals: UPLOAD_REFUSALS }
    for (const step of [...STEPS, create, upload]) {
      const section = page.slice(page.indexOf(`id="${step.name}"`)).split('<section class="step"')[0] ?? ''
      const codes = [...section.matchAll(/class="error-code">(\d{3})\d\d</g)].map(([, status]) => status)
      expect(codes.length).toBe(Object.keys(step.refusals).length)
      const statuses = Object.keys(paths[step.path].post.responses)
      for (const status of codes) expect(statuses, step.name).toContain(status)
    }
  })

  it('has in its calculator the payment that its samples report', async () => {
    const page = seen(
      await api.text('/docs/quickstart').then((text) => text.replace(/value="([^"]*)"/g, '>$1<')),
    )
    const samples = Object.values(await readSamples('report_payment'))
    for (const value of Object.values(SAMPLE_PAYMENT))
      for (const text of [page, ...samples]) expect(text).toContain(value)
  })

  it('starts the calculator on its own page with a vector, under the secret of the API reference', () => {
    expect(EXAMPLE.secret).toBe(story.clientSecret)
    expect(checksumVectors.key).toBe(EXAMPLE.secret)
    expect(checksumVectors.vectors.map(({ fields }) => fields)).toContainEqual(EXAMPLE.fields)
  })
})

describe('highlighting', () => {
  const kinds = (language: CodeLanguage, text: string) =>
    [
      ...html`${highlight(language, text, new Map())}`.toString().matchAll(/<span class="(\w+)">([^<]*)/g),
    ].map(([, kind, inner]) => `${kind} ${seen(inner ?? '')}`)

  it.each<{ language: CodeLanguage; text: string; marked: string[] }>([
    { language: 'sh', text: "echo 'a # b' # c", marked: ['keyword echo', "string 'a # b'", 'comment # c'] },
    {
      language: 'mjs',
      text: "const a = 'http://x' // y",
      marked: ['keyword const', "string 'http://x'", 'comment // y'],
    },
    {
      language: 'mts',
      text: 'import type { A } // y',
      marked: ['keyword import', 'keyword type', 'comment // y'],
    },
    { language: 'py', text: '"""doc # no""" # yes', marked: ['string """doc # no"""', 'comment # yes'] },
    { language: 'php', text: '$a = 12; /* b */', marked: ['number 12', 'comment /* b */'] },
    { language: 'java', text: 'String a = "\\"x\\"";', marked: ['string "\\"x\\""'] },
    { language: 'go', text: 'var a = `b "c`', marked: ['keyword var', 'string `b "c`'] },
    {
      language: 'json',
      text: '{"a": "b", "c": 1}',
      marked: ['keyword "a"', 'string "b"', 'keyword "c"', 'number 1'],
    },
  ])('tells strings, comments and words of $language apart', ({ language, text, marked }) => {
    expect(kinds(language, text)).toEqual(marked)
  })

  it('escapes the text of samples and values', () => {
    const out = html`${highlight('sh', `'<b>&"' {{X}} {{Y}}`, new Map([['X', '<img src=x>']]))}`.toString()
    expect(out).toContain('&lt;b&gt;&amp;&quot;')
    expect(out).toContain('data-value="X">&lt;img src=x&gt;</span>')
    expect(out).toContain('data-value="Y">YOUR_Y</span>')
    expect(out).not.toMatch(/<(?!\/?span)/)
  })
})
