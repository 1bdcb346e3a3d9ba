import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import {
  canonical,
  checksum,
  verifyWebhook,
  type WebhookOptions,
} from '../../../clients/typescript/src/index.ts'
import { createRandomIds } from '../../../server/platform/ids.ts'
import { checksumVectors, signedUnderKeys, toBeSigned } from '../../support/checksum-vectors.ts'

describe('a checksum', () => {
  it.each(toBeSigned.map((vector) => [vector.canonical, vector] as const))(
    'is that of %s',
    async (_, vector) => {
      expect(canonical(vector.fields)).toBe(vector.canonical)
      expect(await checksum(vector.fields, checksumVectors.key)).toBe(vector.hex)
    },
  )

  it.each(signedUnderKeys)('under $key of $canonical has $hex', async ({ key, fields, hex }) => {
    expect(await checksum(fields, key)).toBe(hex)
  })
})

const ids = createRandomIds()
const EVENT = { id: 'evt_1', seq: '1', type: 'webhook.test', timestamp: '', data: { webhookId: 'Quán 😀' } }
const BODY = JSON.stringify(EVENT)
const AT = 1_795_143_600
/** The library of Standard Webhooks signs. */
const signed = (secret: string, { id = 'evt_1', at = AT, body = BODY } = {}) => ({
  'webhook-id': id,
  'webhook-timestamp': String(at),
  'webhook-signature': new Webhook(secret).sign(id, new Date(at * 1_000), body),
})
const now: WebhookOptions = { now: () => AT * 1_000 }

describe('a webhook', () => {
  const secret = ids.webhookSecret()
  const headers = signed(secret)

  it('that the library of Standard Webhooks has signed is its event', async () => {
    expect(await verifyWebhook(headers, BODY, secret, now)).toEqual(EVENT)
    expect(await verifyWebhook(headers, new TextEncoder().encode(BODY), secret, now)).toEqual(EVENT)
    expect(await verifyWebhook(headers, Buffer.from(BODY), secret, now)).toEqual(EVENT)
    expect(await verifyWebhook(new Headers(headers), BODY, [secret], now)).toEqual(EVENT)
    const capital = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]),
    )
    expect(await verifyWebhook(capital, BODY, secret, now)).toEqual(EVENT)
  })

  it('has the signatures of two secrets while one is replaced: either is enough', async () => {
    const other = ids.webhookSecret()
    const both = `${signed(other)['webhook-signature']} ${headers['webhook-signature']}`
    for (const secrets of [secret, other, [other, secret], [ids.webhookSecret(), secret]])
      expect(await verifyWebhook({ ...headers, 'webhook-signature': both }, BODY, secrets, now)).toEqual(
        EVENT,
      )
  })

  const signature = headers['webhook-signature']
  const WRONG: [string, { reason: string; status: number }, Record<string, string | undefined>, string?][] = [
    ['without an id', { reason: 'incomplete', status: 400 }, { 'webhook-id': undefined }],
    ['without a signature', { reason: 'incomplete', status: 400 }, { 'webhook-signature': '' }],
    ['without a time', { reason: 'incomplete', status: 400 }, { 'webhook-timestamp': undefined }],
    ['of no time', { reason: 'incomplete', status: 400 }, { 'webhook-timestamp': '1e9' }],
    ['of another body', { reason: 'wrong signature', status: 401 }, {}, `${BODY} `],
    ['of another id', { reason: 'wrong signature', status: 401 }, { 'webhook-id': 'evt_2' }],
    ['of another time', { reason: 'wrong signature', status: 401 }, { 'webhook-timestamp': String(AT + 1) }],
    [
      'of version 2',
      { reason: 'wrong signature', status: 401 },
      { 'webhook-signature': signature.replace('v1', 'v2') },
    ],
    ['signed by no base64', { reason: 'wrong signature', status: 401 }, { 'webhook-signature': 'v1,%%%' }],
    [
      'signed by half',
      { reason: 'wrong signature', status: 401 },
      { 'webhook-signature': signature.slice(0, 20) },
    ],
    [
      'behind many wrong signatures',
      { reason: 'wrong signature', status: 401 },
      { 'webhook-signature': `${'v1,AAAA '.repeat(10)}${signature}` },
    ],
  ]
  it.each(WRONG)('%s is refused', async (_, refused, changes, body = BODY) => {
    const call = verifyWebhook({ ...headers, ...changes }, body, secret, now)
    await expect(call).rejects.toMatchObject({ name: 'WebhookError', ...refused })
  })

  it.each([
    [300, undefined],
    [301, 'too old'],
    [-300, undefined],
    [-301, 'too new'],
  ])('%i seconds old is %s', async (ageS, reason) => {
    const call = verifyWebhook(headers, BODY, secret, { now: () => (AT + ageS) * 1_000 })
    if (reason === undefined) expect(await call).toEqual(EVENT)
    else await expect(call).rejects.toMatchObject({ reason, status: 401 })
  })

  it('may be older when the caller says so', async () => {
    const options = { now: () => (AT + 900) * 1_000, toleranceS: 1_000 }
    expect(await verifyWebhook(headers, BODY, secret, options)).toEqual(EVENT)
  })

  it('that is signed and no JSON is none', async () => {
    const body = 'no JSON'
    const call = verifyWebhook(signed(secret, { body }), body, secret, now)
    await expect(call).rejects.toMatchObject({ reason: 'no event', status: 400 })
  })

  it('a secret that is none is a mistake of the caller, and is not shown', async () => {
    for (const wrong of ['sbs_very-secret', 'whsec_', ''])
      await expect(verifyWebhook(headers, BODY, wrong, now)).rejects.toThrow(
        /^a secret of a webhook is whsec_/,
      )
  })
})
