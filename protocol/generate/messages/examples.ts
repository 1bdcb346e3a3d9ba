import { bytesOf, toBase64url } from '#platform'
import { downPrefix, sealFrame, upPrefix } from '../../frame.ts'
import { type DeviceKeys, deriveKeys, maskKey } from '../../keys.ts'
import { announcementClips } from '../../money/sentence.ts'
import type { CatalogueEntry } from './catalogue.ts'

/** The device of all examples. It is the first one of the vectors. */
export const EXAMPLE = {
  serial: 'SPK-2026-000123',
  sid: '9f86d081884c7d65',
  key: Buffer.from(Array.from({ length: 32 }, (_, index) => index)),
} as const

const ID = '01JD3Z8Q6X9V5T7M2K4N8P0R1S'
const AT = 1_763_678_400
const VIETQR = '00020101021238540010A00000072701240006970422011001234567890208QRIBFTTA53037045802VN63042E2E'

const BODIES: Record<string, object> = {
  welcome: { now: AT, n: 41, linked: true, settings: 3 },
  profile: { name: 'Phở Hạnh', qr: VIETQR },
  code: { code: '048213', exp: AT + 300 },
  announce: {
    amount: '50000',
    currency: 'VND',
    lang: 'vi',
    clips: announcementClips('vi', '50000'),
    bill: 'BILL-7',
  },
  qr: { qr: VIETQR, amount: '180000', bill: 'BILL-7', exp: AT + 900 },
  clear: { what: 'qr' },
  missed: { count: 3, amount: '270000' },
  settings: { ver: 4, volume: 40, lang: 'vi' },
  identify: {},
  rekey: { key: toBase64url(maskKey(EXAMPLE.key, ID, Buffer.alloc(32, 7))) },
  update: {
    fw: '1.1.0',
    url: 'https://updates.example/sb-1/1.1.0.bin',
    size: 262_144,
    sha256: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg',
  },
}

const TTL: Record<string, number> = { welcome: 30, code: 300, announce: 120, qr: 900 }

const MESSAGES: Record<string, object> = {
  birth: {
    t: 'birth',
    sid: EXAMPLE.sid,
    fw: '1.0.0',
    model: 'SB-1',
    caps: ['screen', 'speaker', 'qr'],
    lang: ['vi', 'en'],
    rx: 512,
    played: 41,
    settings: 3,
    at: AT,
  },
  ack: { t: 'ack', id: ID, n: 42, st: 'played' },
  'settings-report': { t: 'settings', ver: 4, volume: 40, lang: 'vi' },
  telemetry: {
    ...{ battery: 87, charging: false, signal: -61, volume: 80, queue: 0 },
    health: { reset: 'watchdog', uptime: 86_400, crashes: 2, modem: 'no carrier' },
  },
  will: { sid: EXAMPLE.sid, reason: 'lost' },
}

/** The payload of an example message: a sealed frame, or plain JSON for a message without a MAC. */
export function examplePayload({ name, direction, channel, sealed }: CatalogueEntry): Uint8Array {
  const { serial, sid, key } = EXAMPLE
  const keys: DeviceKeys = deriveKeys(key)
  if (direction === 'down') {
    const command = { t: name, id: ID, n: 42, at: AT, ttl: TTL[name] ?? 3_600, d: BODIES[name] }
    return sealFrame(keys.down, downPrefix(serial, sid), command)
  }
  const message = MESSAGES[name] ?? {}
  if (!sealed || channel === 'down') return bytesOf(JSON.stringify(message))
  return sealFrame(keys.up, upPrefix(serial, sid, channel), message)
}
