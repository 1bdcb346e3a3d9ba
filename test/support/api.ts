import { onTestFinished } from 'vitest'
import { createAdminApp } from '../../server/app/app.ts'
import type { Readiness } from '../../server/app/operations.ts'
import { mintDevice } from '../../server/devices/mint-devices.ts'
import { SHIPPED } from '../../server/dialects/boxes.ts'
import { sb1 } from '../../server/dialects/sb1/index.ts'
import type { KnownRequests } from '../../server/http/guards/limits.ts'
import { createMetrics } from '../../server/operate/metrics.ts'
import { createPartner } from '../../server/partners/manage-partners.ts'
import { createRandomIds } from '../../server/platform/ids.ts'
import { createLog, type Logger } from '../../server/platform/log.ts'
import type { BucketSize } from '../../server/platform/token-buckets.ts'
import type { Storage } from '../../server/storage/ports.ts'
import type { AddressCheck } from '../../server/webhooks/address.ts'
import type { Post } from '../../server/webhooks/send/post.ts'
import type { CallbackFields } from '../../simulator/run/hub/partner-client.ts'
import { OPERATOR } from './actors.ts'
import { signedCallback } from './callback.ts'
import { createVirtualClock, settle, type VirtualClock } from './clock.ts'
import { createTestCore } from './core.ts'
import type { OnEnd } from './folder.ts'
import { answerCheck } from './http/answer-check.ts'
import { type BoxDouble, createBoxDouble } from './mqtt/box-double.ts'
import { createDeviceDouble, type DeviceDouble } from './mqtt/device-double.ts'
import { parseJson } from './parse-json.ts'
import { openTestStorage } from './storage.ts'

export interface Answer {
  status: number
  headers: Headers
  /** The parsed JSON; undefined when the body is none. */
  body: unknown
  text: string
}

export interface RequestOptions {
  token?: string
  /** Text and bytes go as they are, everything else as JSON. */
  body?: unknown
  headers?: Record<string, string>
}

/** A partner with a token. */
export interface TestPartner {
  clientId: string
  clientSecret: string
  token: string
  /** Gets a new token, as the old one has run out. */
  logIn(): Promise<void>
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** Sends a callback, signed. */
  pay(changes?: Partial<CallbackFields>): Promise<Answer>
  /** Asks for a code, reads it off the device's screen and registers with it. */
  register(device: DeviceDouble, changes?: Record<string, unknown>): Promise<Answer>
}

/** The whole hub behind its HTTP app: real storage and delivery, a clock that is wound by hand, no sockets. */
export interface TestApi {
  clock: VirtualClock
  readonly storage: Storage
  /** The database's file, for another connection. */
  file: string
  /** Every line that was logged, at the most talkative level. */
  log: string[]
  logger: Logger
  readiness: Readiness
  /** What the server of a real hub is given. */
  fetch(request: Request, env?: object): Response | Promise<Response>
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>
  /** What a GET answers, as text. */
  text(path: string): Promise<string>
  /** What a GET of the operators' app answers. */
  admin(path: string): Promise<Response>
  partner(name?: string): Promise<TestPartner>
  /** Ends the hub and starts it again on what it left on the disk; devices have to connect anew. */
  restart(): Promise<void>
  /** A device that is minted and, unless told otherwise, connected. */
  device(serial: string, options?: { connected: boolean }): Promise<DeviceDouble>
  /** A box of a profile that ships, added and connected. */
  box(profile: string, serial: string): Promise<BoxDouble>
}

export const REGISTRATION = {
  phoneNumber: '0901234567',
  storeName: 'Quán Cà Phê Sáng',
  identityNumber: '079123456789',
  bankName: 'MB Bank',
  bankCode: 'MB',
  terminalID: 'T-01',
  bankAccountNumber: '0123456789',
  bankAccountName: 'NGUYEN VAN A',
  rmCode: 'RM-7',
}

/** A box says nothing of itself: the hub takes it as ready so long after it has subscribed. */
const READY_MS = 1_000

/** `sweeps` also ends announcements as they grow old, which makes winding days slow. */
export function createTestApi({
  sweeps = false,
  rate = { perSecond: 50, burst: 200 },
  anonymousRate = { perSecond: 20, burst: 100 },
  connections,
  addresses,
  post,
  onEnd = onTestFinished,
}: {
  sweeps?: boolean
  rate?: BucketSize
  anonymousRate?: BucketSize
  connections?: KnownRequests
  /** Of webhooks. Without it, every name leads to a public address. */
  addresses?: AddressCheck
  /** Webhooks are sent by it. Without it, none are. */
  post?: Post
  onEnd?: OnEnd
} = {}): TestApi {
  const { storage: first, vault, file, reopen } = openTestStorage(onEnd)
  const clock = createVirtualClock()
  const ids = createRandomIds()
  const lines: string[] = []
  const log = createLog('trace', { write: (line) => void lines.push(line) })
  const doubles: DeviceDouble[] = []

  /** Everything that is made anew when a hub starts. */
  function start(storage: Storage) {
    const readiness = async () => api.readiness
    const metrics = createMetrics(clock)
    const core = createTestCore({
      metrics,
      storage,
      vault,
      clock,
      ids,
      log,
      rate,
      anonymousRate,
      connections,
      readiness,
      clockIsBehind: () => api.readiness === 'clock',
      ...(addresses && { addresses }),
      ...(post && { post }),
    })
    const admin = createAdminApp({ metrics, log, clock, readiness })
    if (post) core.webhooks.start()
    const stopSweeps = sweeps ? core.delivery.start() : undefined
    async function stop() {
      await stopSweeps?.()
      if (post) await core.webhooks.stop()
    }
    return { ...core, admin, storage, stop }
  }
  let hub = start(first)
  onEnd(() => hub.stop())
  onEnd(settle)

  const api: TestApi = {
    clock,
    get storage() {
      return hub.storage
    },
    file,
    log: lines,
    logger: log,
    readiness: 'ready',
    fetch: (request, env) => hub.app.fetch(request, env),
    async restart() {
      for (const double of doubles) double.leave()
      await settle()
      await hub.stop()
      hub = start(reopen())
    },
    async request(method, path, { token, body, headers = {} } = {}) {
      // They ping all the time. A test that winds hours at once leaves that out.
      for (const double of doubles) double.ping()
      const raw = typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream
      const url = `http://localhost${path}`
      const response = await hub.app.request(url, {
        method,
        headers: {
          ...(token !== undefined && { Authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && {
          body: raw ? (body as NonNullable<RequestInit['body']>) : JSON.stringify(body),
        }),
        ...(body instanceof ReadableStream && { duplex: 'half' }),
      })
      const { status, headers: answered } = response
      const text = await response.text()
      const check = await answerCheck(() => api.text('/openapi.json'))
      check({ method, url, body }, { status, headers: answered, text })
      return { status, headers: answered, body: parseJson(text), text }
    },

    text: async (path) => (await hub.app.request(path)).text(),
    admin: async (path) => hub.admin.request(path),

    async partner(name = 'Acme') {
      const credentials = await createPartner(
        { by: OPERATOR, partners: hub.storage.partners, clock, ids },
        name,
      )
      const partner = createTestPartner(api, credentials)
      await partner.logIn()
      return partner
    },

    async device(serial, { connected } = { connected: true }) {
      const { devices } = hub.storage
      const minted = await mintDevice({ by: OPERATOR, devices, loginHash: sb1.loginHash, clock, ids }, serial)
      if (!minted) throw new Error(`the serial ${serial} is taken`)
      const double = createDeviceDouble(minted, () => hub.gate)
      doubles.push(double)
      onEnd(() => double.leave())
      if (connected) await double.connect()
      return double
    },

    async box(name, serial) {
      const profile = SHIPPED.get(name)
      if (!profile) throw new Error(`no profile ${name}`)
      const { gate, storage } = hub
      const box = await createBoxDouble({ gate, storage, ids, at: clock.now() }, profile, serial)
      await clock.wind(READY_MS)
      return box
    },
  }
  return api
}

/** A hub with one partner, whose one shop has the device SB-0001. */
export async function createTestShop(
  options?: Parameters<typeof createTestApi>[0],
  registration?: Record<string, unknown>,
) {
  const api = createTestApi(options)
  const partner = await api.partner()
  const device = await api.device('SB-0001')
  const registered = await partner.register(device, registration)
  await settle()
  return { api, partner, device, registered, storeId: stringAt(registered, 'store', 'id') }
}

function createTestPartner(
  api: TestApi,
  credentials: { clientId: string; clientSecret: string },
): TestPartner {
  const { clientSecret } = credentials
  const partner: TestPartner = {
    ...credentials,
    token: '',
    async logIn() {
      const answer = await api.request('POST', '/api/v1/partner/auth/token', { body: credentials })
      partner.token = stringAt(answer, 'accessToken')
    },
    call: (method, path, body, headers = {}) =>
      api.request(method, `/api/v1/partner${path}`, { token: partner.token, body, headers }),
    pay: (changes) => partner.call('POST', '/payment/callback', signedCallback(clientSecret, changes)),
    async register(device, changes = {}) {
      const { serial: deviceSerial } = device
      const sent = await partner.call('POST', '/device/send-verification', { deviceSerial })
      if (sent.status !== 200) throw new Error(`no code was shown: ${JSON.stringify(sent.body)}`)
      const body = { ...REGISTRATION, deviceSerial, verificationCode: device.code(), ...changes }
      return partner.call('POST', '/device/register', body)
    },
  }
  return partner
}

/** A string inside an answer, by the names that lead to it. */
export function stringAt(answer: Answer, ...names: (string | number)[]): string {
  let value: unknown = answer.body
  for (const name of names) value = Object(value)[name]
  if (typeof value === 'string') return value
  throw new Error(`no text at ${names.join('.')} of ${JSON.stringify(answer.body)}`)
}

/** The fields that an answer's `details` name, sorted. */
export function badFields(answer: Answer): string[] {
  const details: unknown = Object(answer.body).details
  if (!Array.isArray(details)) throw new Error(`no details in ${JSON.stringify(answer.body)}`)
  return details.map((detail) => String(Object(detail).field)).sort()
}
