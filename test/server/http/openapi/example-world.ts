import { authExamples } from '../../../../server/http/openapi/examples/auth.ts'
import { deviceExamples } from '../../../../server/http/openapi/examples/devices.ts'
import { story } from '../../../../server/http/openapi/examples/story.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { createTestApi, stringAt } from '../../../support/api.ts'

export const BASE = '/api/v1/partner'

/** The world of the examples: a partner that is logged in and a connected device. */
export async function exampleWorld() {
  const api = createTestApi()
  const { clientId, clientSecret } = story
  const partner = { clientId, name: 'Example', disabledAt: undefined, createdAt: api.clock.now() }
  await api.storage.partners.create(OPERATOR, partner, clientSecret)
  const device = await api.device(story.deviceSerial)
  const logIn = await api.request('POST', `${BASE}/auth/token`, {
    body: authExamples.getAccessToken.request.credentials.value,
  })
  const token = stringAt(logIn, 'accessToken')
  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    api.request(method, `${BASE}${path}`, { token, body, headers })
  const register = async (changes: object = {}) => {
    const { shop } = deviceExamples.registerDevice.request
    await send('POST', '/device/send-verification', deviceExamples.sendVerificationCode.request.device.value)
    const verificationCode = device.code()
    return send('POST', '/device/register', { ...shop.value, verificationCode, ...changes })
  }
  return { api, device, logIn, send, register }
}
