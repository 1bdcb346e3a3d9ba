import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createRandomIds } from '../../../../server/platform/ids.ts'
import { webhookHeaders } from '../../../../server/webhooks/sign.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { startReceiver } from '../../../support/samples/receivers.ts'
import {
  LANGUAGES,
  type Language,
  missing,
  placeholders,
  readSample,
} from '../../../support/samples/samples.ts'
import { eventually } from '../../../support/wait.ts'

const MINUTE_MS = 60_000

const ids = createRandomIds()
const secret = ids.webhookSecret()
let made = 0

/** A new event with text that is not ASCII, in the spelling of the hub. */
function newMessage() {
  made += 1
  const id = `evt_${String(made).padStart(26, '0')}`
  return { id, body: JSON.stringify({ id, seq: String(made), data: { billNumber: 'Trà sữa 🧋 <b>&"\\' } }) }
}

/** A receiver of a language, and a way to send to it. */
async function receiver(language: Language) {
  const { port, taken, said } = await startReceiver(language, temporaryFolder(), secret)
  const post = async (body: string, headers: Record<string, string>) => {
    const response = await fetch(`http://127.0.0.1:${port}/webhook`, {
      ...{ method: 'POST', body, redirect: 'manual' },
      headers: { 'content-type': 'application/json', ...headers },
    }).catch((error: unknown) => {
      throw new Error(`${language.name}: ${String(error)}\n${said()}`)
    })
    await response.text()
    return response.status
  }
  /** Sends a delivery that is signed as the hub does it. `at`: milliseconds from now. */
  const deliver = (message: { id: string; body: string }, { at = 0, secrets = [secret] } = {}) =>
    post(message.body, webhookHeaders(secrets, { ...message, at: Date.now() + at }))
  return { port, taken, post, deliver }
}

/** How each compares without telling by its time how much was right. */
const IN_CONSTANT_TIME: Record<string, RegExp> = {
  sh: /\[ "\$\(blind .+\)" != "\$\(blind .+\)" \]/,
  mjs: /timingSafeEqual\(/,
  // Its tests are those of the client.
  mts: /verifyWebhook\(/,
  py: /hmac\.compare_digest\(/,
  php: /hash_equals\(/,
  java: /MessageDigest\.isEqual\(/,
  go: /hmac\.Equal\(/,
}

describe.each(LANGUAGES)('the receiver in $name', (language) => {
  const why = missing(language)

  it('has nothing to be filled in', () => {
    expect(placeholders(readSample('receive', language))).toEqual([])
  })

  it('compares in constant time', () => {
    expect(readSample('receive', language)).toMatch(IN_CONSTANT_TIME[language.extension] ?? /^$/)
  })

  it('takes what the hub has signed, once, however often it comes', async ({ skip }) => {
    skip(why !== undefined, why)
    const { taken, deliver } = await receiver(language)
    const [first, second, third] = [newMessage(), newMessage(), newMessage()]
    expect(await deliver(first)).toBe(204)
    expect(await deliver(second, { secrets: [ids.webhookSecret(), secret] })).toBe(204)
    expect(await deliver(first)).toBe(204)
    // A later attempt has another timestamp and signature.
    expect(await deliver(first, { at: -MINUTE_MS })).toBe(204)
    const together = await Promise.all([1, 2, 3, 4].map(() => deliver(third)))
    expect(together).toEqual([204, 204, 204, 204])
    await eventually(() => expect(taken()).toEqual([first.body, second.body, third.body]))
  })

  it('takes nothing that is forged, changed, too old or incomplete, and goes on', async ({ skip }) => {
    skip(why !== undefined, why)
    const { port, taken, post, deliver } = await receiver(language)
    const message = newMessage()
    const right = webhookHeaders([secret], { ...message, at: Date.now() })
    const other = newMessage()

    expect(await deliver(message, { secrets: [ids.webhookSecret()] })).toBe(401)
    expect(await deliver(message, { at: -10 * MINUTE_MS })).toBe(401)
    expect(await deliver(message, { at: 10 * MINUTE_MS })).toBe(401)
    expect(await post(message.body.replace('sữa', 'sua'), right)).toBe(401)
    expect(await post(`${message.body}\n`, right)).toBe(401)
    expect(await post(other.body, right)).toBe(401)
    expect(await post(message.body, { ...right, 'webhook-id': other.id })).toBe(401)
    const later = String(Number(right['webhook-timestamp']) + 1)
    expect(await post(message.body, { ...right, 'webhook-timestamp': later })).toBe(401)
    for (const signature of [
      'v1,',
      'v1',
      'v1,AAAA',
      'x'.repeat(44),
      right['webhook-signature'].replace('v1', 'v2'),
    ])
      expect(await post(message.body, { ...right, 'webhook-signature': signature }), signature).toBe(401)

    for (const name of Object.keys(right)) {
      const headers = Object.fromEntries(Object.entries(right).filter(([one]) => one !== name))
      expect(await post(message.body, headers), name).toBe(400)
    }
    for (const timestamp of ['now', '1e9', new Date().toISOString()])
      expect(await post(message.body, { ...right, 'webhook-timestamp': timestamp }), timestamp).toBe(400)
    const large = { id: other.id, body: JSON.stringify('x'.repeat(70_000)) }
    expect([400, 401]).toContain(await deliver(large))

    const broken = connect(port, '127.0.0.1')
    broken.write('POST /webhook HTTP/1.1\r\nHost: here\r\nContent-Length: 100\r\n\r\n{"half":')
    await once(broken, 'connect')
    broken.destroy()

    // What was refused is not taken for a repeat.
    expect(await deliver(message)).toBe(204)
    await eventually(() => expect(taken()).toEqual([message.body]))
  })

  it('does not work without a secret, which anybody could guess', async ({ skip }) => {
    skip(why !== undefined, why)
    const message = newMessage()
    for (const none of ['', 'whsec_']) {
      const headers = webhookHeaders(['whsec_'], { ...message, at: Date.now() })
      const status = await startReceiver(language, temporaryFolder(), none).then(
        ({ port }) => fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: message.body }),
        (error: unknown) => String(error),
      )
      if (typeof status === 'string') expect(status).toContain('is not the secret of a webhook')
      else expect(status.status).toBe(500)
    }
  })
})
