import { acked, BORN, command, type Draft, IDLE, NOW, refuses, soundingOf, waitingOf } from './draft.ts'

const CAPS = [...IDLE.caps, 'update']
const OFFER = {
  fw: '1.1.0',
  url: 'https://updates.example/sb-1/1.1.0.bin',
  size: 65_536,
  sha256: 'U62Fj8NNTHg-ZGN4eObKo6JnDGzWygN17r6XcnLA1M0',
  sig: 'A'.repeat(86),
}

/** What it does with the offer is its own affair: the hub learns it from telemetry. */
const received = (name: string, clauses: string[], d: object, before: Draft['before'] = {}): Draft => ({
  name,
  clauses,
  before: { caps: CAPS, ...before },
  event: command('update', d, { n: 50 }),
  sends: [acked(50, 'received')],
})

const { sig: _, ...unsigned } = OFFER

const taken: Draft[] = [
  received('update: received, whatever the device then does with it', ['18.1'], OFFER),
  received(
    'update without a signature: received, for it may be part of the image',
    ['18.1', '18.2'],
    unsigned,
  ),
  received('update with a field that it does not know: ignored', ['5.4', '18.1'], { ...OFFER, notes: 'new' }),
  received('update with the longest texts: received', ['18.1'], {
    fw: 'v'.repeat(32),
    url: `http://${'u'.repeat(105)}`,
    size: 4_294_967_295,
    sha256: OFFER.sha256,
  }),
  received('update with an image of one byte: received', ['18.1'], { ...OFFER, size: 1 }),
  received('update to the firmware that it runs: received', ['18.1'], { ...OFFER, fw: IDLE.fw }),
  received('update while an announcement sounds and another waits: received, both go on', ['18.4'], OFFER, {
    played: 42,
    sounding: soundingOf(42),
    waiting: [waitingOf(43, '50000')],
  }),
]

const unsupported = (name: string, d: object): Draft => ({
  name,
  clauses: ['7.8'],
  before: { caps: CAPS },
  event: command('update', d),
  ...refuses(42, 'unsupported'),
})

const without = (field: keyof typeof OFFER) =>
  Object.fromEntries(Object.entries(OFFER).filter(([name]) => name !== field))

const refused: Draft[] = [
  {
    name: 'update to a device without the capability: unsupported',
    clauses: ['7.17', '18.1'],
    level: 'SHOULD',
    event: command('update', OFFER),
    ...refuses(42, 'unsupported'),
  },
  ...(['fw', 'url', 'size', 'sha256'] as const).map((field) =>
    unsupported(`update without ${field}: unsupported`, without(field)),
  ),
  unsupported('update with a version of 33 characters: unsupported', { ...OFFER, fw: 'v'.repeat(33) }),
  unsupported('update with a space in its version: unsupported', { ...OFFER, fw: '1.1 beta' }),
  unsupported('update with a URL of 113 characters: unsupported', {
    ...OFFER,
    url: `http://${'u'.repeat(106)}`,
  }),
  unsupported('update with a URL of another scheme: unsupported', {
    ...OFFER,
    url: 'ftp://updates.example/1',
  }),
  unsupported('update with a URL of a scheme alone: unsupported', { ...OFFER, url: 'https://' }),
  unsupported('update with a space in its URL: unsupported', { ...OFFER, url: 'http://updates.example/1 1' }),
  unsupported('update with a quote in its URL: unsupported', { ...OFFER, url: 'http://updates.example/"' }),
  unsupported('update with a letter beyond ASCII in its URL: unsupported', {
    ...OFFER,
    url: 'http://updates.example/ế',
  }),
  unsupported('update with an image of 0 bytes: unsupported', { ...OFFER, size: 0 }),
  unsupported('update with a size of more than 32 bits: unsupported', { ...OFFER, size: 4_294_967_296 }),
  unsupported('update with 42 characters of SHA-256: unsupported', {
    ...OFFER,
    sha256: OFFER.sha256.slice(0, 42),
  }),
  unsupported('update with a bit after the 32 bytes of its SHA-256: unsupported', {
    ...OFFER,
    sha256: `${OFFER.sha256.slice(0, 42)}1`,
  }),
  unsupported('update with an empty signature: unsupported', { ...OFFER, sig: '' }),
  unsupported('update with a signature of 89 characters: unsupported', { ...OFFER, sig: 'A'.repeat(89) }),
  {
    name: 'update past at + ttl: expired',
    clauses: ['7.7'],
    before: { caps: CAPS },
    event: command('update', OFFER, { at: NOW - 121 }),
    ...refuses(42, 'expired'),
  },
  {
    name: 'update before the welcome: dropped, no ack',
    clauses: ['7.14'],
    before: { ...BORN, caps: CAPS },
    event: command('update', OFFER),
  },
]

export const updateCases: Draft[] = [...taken, ...refused]
