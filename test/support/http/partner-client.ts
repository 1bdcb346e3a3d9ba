import { REGISTRATION } from '../api.ts'
import type { TestHub } from '../hub.ts'
import { until } from '../wait.ts'
import { answerCheck } from './answer-check.ts'

/** A partner that calls a hub over HTTP. */
export interface PartnerClient {
  clientId: string
  clientSecret: string
  call(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; headers: Headers; body: unknown }>
}

/** Creates a partner on a hub and logs it in. */
export async function partnerOf(hub: TestHub): Promise<PartnerClient> {
  return connectPartner(() => hub.http, await hub.partner())
}

/** Logs a partner in. Each call asks for `base`, because a restarted hub has another port. */
export async function connectPartner(
  base: () => string,
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
): Promise<PartnerClient> {
  const send = async (method: string, path: string, body: unknown, token: string | undefined) => {
    const url = `${base()}/api/v1/partner${path}`
    const response = await fetch(url, {
      method,
      headers: {
        // A kept connection may be closed as idle at the moment of the next call.
        Connection: 'close',
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const { status, headers } = response
    const check = await answerCheck(async () => (await fetch(`${base()}/openapi.json`)).text())
    check({ method, url, body }, { status, headers, text })
    const parsed: unknown = JSON.parse(text)
    return { status, headers, body: parsed }
  }
  const login = await until('a login', async () => {
    const { status, body } = await send('POST', '/auth/token', { clientId, clientSecret }, undefined)
    // On a loaded machine the storage may answer late.
    if (status !== 200 && status !== 503) throw new Error(`no login: ${JSON.stringify(body)}`)
    return status === 200 && body
  })
  const token = String(Object(login).accessToken)
  return { clientId, clientSecret, call: (method, path, body) => send(method, path, body, token) }
}

/** Has a device show a code. Asks again while a slow device does not answer the hub in time, of which nothing is counted. */
export async function requestCode(partner: PartnerClient, deviceSerial: string): Promise<void> {
  await until('a code on the screen', async () => {
    const { status, body } = await partner.call('POST', '/device/send-verification', { deviceSerial })
    if (status !== 200 && status !== 504) throw new Error(`no code was shown: ${JSON.stringify(body)}`)
    return status === 200
  })
}

/**
 * Registers a device by the code on its screen, with changes to the usual request. Resolves with the store. `readCode`
 * gives the newest code: there may be several.
 */
export async function registerOver(
  partner: PartnerClient,
  deviceSerial: string,
  readCode: () => string | undefined,
  changes: Partial<typeof REGISTRATION> = {},
): Promise<{ id: string; terminalID: string }> {
  await requestCode(partner, deviceSerial)
  const verificationCode = await until('the code on the screen', readCode)
  const answer = await partner.call('POST', '/device/register', {
    ...REGISTRATION,
    ...changes,
    deviceSerial,
    verificationCode,
  })
  if (answer.status !== 201) throw new Error(`not registered: ${JSON.stringify(answer.body)}`)
  return Object(answer.body).store
}
