import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { createRandomIds } from '../../../server/platform/ids.ts'
import { webhookHeaders } from '../../../server/webhooks/sign.ts'

const ids = createRandomIds()
const message = () => ({ id: 'evt_01', at: Date.now(), body: '{"storeName":"Quán Cà Phê 😀"}' })

describe('webhook headers', () => {
  it('are those that the library of Standard Webhooks signs', () => {
    const secret = ids.webhookSecret()
    const at = Date.parse('2026-11-20T03:00:00.999Z')
    const headers = webhookHeaders([secret], { ...message(), at })
    expect(headers).toEqual({
      'webhook-id': 'evt_01',
      'webhook-timestamp': '1795143600',
      'webhook-signature': new Webhook(secret).sign('evt_01', new Date(at), message().body),
    })
  })

  it('verify with each of two secrets, and with no other', () => {
    const secrets = [ids.webhookSecret(), ids.webhookSecret()]
    const sent = message()
    const headers = webhookHeaders(secrets, sent)
    for (const secret of secrets)
      expect(new Webhook(secret).verify(sent.body, headers)).toEqual(JSON.parse(sent.body))
    const other = new Webhook(ids.webhookSecret())
    expect(() => other.verify(sent.body, headers)).toThrow('No matching signature')
  })

  it('need a secret of the right kind', () => {
    expect(ids.webhookSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(() => webhookHeaders(['sbs_1'], message())).toThrow('whsec_')
  })
})
