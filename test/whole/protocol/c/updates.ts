import { sealed } from './scenarios.ts'

/** Offers of firmware in lines for vectors.c, and what comes of them (sb/1 18.1 to 18.5). */

const HASH = Buffer.alloc(32, 0x5a)
const OTHER_HASH = Buffer.alloc(32, 0xa5)
const OFFER = {
  fw: '2.0.0',
  url: 'https://updates.example/2.bin',
  size: 1_000,
  sha256: HASH.toString('base64url'),
  sig: 'maker',
}
const offer = (n: number, changes: Partial<typeof OFFER> = {}) =>
  sealed('update', n, JSON.stringify({ ...OFFER, ...changes }))
const announce = (n: number) =>
  sealed('announce', n, '{"amount":"5","currency":"VND","lang":"vi","clips":"dong"}')
const image = (size = OFFER.size, hash = HASH) => `image-ended ${size} ${hash.toString('hex')}`
/** A download that has broken off. */
const brokenOff = 'image-ended'

const BEGUN = ['ack 50 received', 'download https://updates.example/2.bin', 'update 2.0.0 downloading']
const INSTALLING = ['keep 41', 'update 2.0.0 installing']
const FAILED = ['keep 41', 'update 2.0.0 failed']
/** The telemetry with the offer. The next one of SETUP is never due, so a test of it connects again. */
const report = (state: string, percent?: number) =>
  `telemetry ${JSON.stringify({ fw: '2.0.0', state, ...(percent !== undefined && { percent }) })}`
const reconnected = (n: number) => [
  ...['closed', 'connect', 'suback'],
  'session 9f86d081884c7d65 born',
  sealed('welcome', n, `{"now":1763678400,"n":${n},"linked":true,"settings":3}`),
]

export const UPDATES = [
  {
    name: 'sb/1 18.2, sb/1 18.3: downloads, checks and installs an image, and tells the hub of each step',
    lines: [offer(50), ...reconnected(60), 'image-grew 257', 'clock 40000', image(), 'clock 80000'],
    does: [
      ...[...BEGUN, 'connected', 'ack 60 received', report('downloading', 0), report('downloading', 25)],
      ...[...INSTALLING, report('installing'), 'restart'],
    ],
  },
  {
    name: 'sb/1 18.4: tells that it installs before it restarts',
    lines: [...reconnected(60), offer(61), image(), 'clock', 'clock 10999', 'clock 11000'],
    does: [
      ...['connected', 'ack 60 received', 'ack 61 received', ...BEGUN.slice(1)],
      ...[...INSTALLING, report('installing'), 'restart'],
    ],
  },
  {
    name: 'sb/1 18.4: speaks while it downloads, and does not restart while an announcement sounds or waits',
    lines: [
      offer(50),
      announce(51),
      announce(52),
      'closed',
      image(),
      'clock',
      'sound-end',
      'clock',
      'sound-end',
      'clock',
    ],
    does: [
      ...[...BEGUN, 'ack 51 received', 'keep 51', 'announce 51', 'ack 52 received'],
      ...[
        'keep 51',
        'update 2.0.0 installing',
        'played 51',
        'keep 52',
        'announce 52',
        'played 52',
        'restart',
      ],
    ],
  },
  {
    name: 'sb/1 18.4: restarts without a connection as well',
    lines: [offer(50), 'closed', image(), 'clock', 'clock'],
    does: [...BEGUN, ...INSTALLING, 'restart'],
  },
  ...[
    { name: 'another length', lines: [image(999)] },
    { name: 'another SHA-256', lines: [image(1_000, OTHER_HASH)] },
    { name: 'no signature of the maker', lines: [image()], changes: { sig: 'somebody' } },
  ].map(({ name, lines, changes = {} }) => ({
    name: `sb/1 18.2: does not run an image with ${name}`,
    lines: [offer(50, changes), ...lines, 'clock', 'clock 59999'],
    does: [...BEGUN, ...FAILED],
  })),
  {
    name: 'sb/1 18.2, sb/1 18.5: stops a download that is longer than the offered image, and counts it as a try',
    lines: [
      ...[offer(50), 'image-grew 1000', 'image-grew 1001', 'image-grew 1002', image(1_001)],
      ...[51, 52, 53].flatMap((n) => [offer(n), 'image-grew 1001']),
    ],
    does: [
      ...[...BEGUN, ...FAILED, 'stop', 'stop'],
      ...[51, 52].flatMap((n) => [`ack ${n} received`, ...BEGUN.slice(1), ...FAILED, 'stop']),
      ...['ack 53 received', 'update 2.0.0 failed', 'stop'],
    ],
  },
  {
    name: 'sb/1 18.5: does not begin again what is under way',
    lines: [offer(50), offer(51), image(), offer(52)],
    does: [...BEGUN, 'ack 51 received', ...INSTALLING, 'ack 52 received'],
  },
  {
    name: 'sb/1 18.5: a later image takes the place of the one that is under way',
    lines: [offer(50), offer(51, { fw: '2.0.1', sha256: OTHER_HASH.toString('base64url') }), image()],
    does: [
      ...BEGUN,
      'ack 51 received',
      BEGUN[1],
      'update 2.0.1 downloading',
      'keep 41',
      'update 2.0.1 failed',
    ],
  },
  {
    name: 'sb/1 18.5: tries an image three times, whatever happens to its power, and another one at once',
    lines: [
      ...[offer(50), image(999), offer(51), image(999), 'power-cut', ...reconnected(60).slice(3)],
      ...[offer(61), image(999), offer(62), offer(63, { sha256: OTHER_HASH.toString('base64url') })],
    ],
    does: [
      ...[...BEGUN, ...FAILED, 'ack 51 received', ...BEGUN.slice(1), ...FAILED],
      ...['connected', 'ack 60 received'],
      ...['ack 61 received', ...BEGUN.slice(1), ...FAILED],
      ...['ack 62 received', 'update 2.0.0 failed', 'ack 63 received', ...BEGUN.slice(1)],
    ],
  },
  {
    name: 'sb/1 18.5: a download that breaks off is no try',
    lines: [50, 51, 52, 53].flatMap((n) => [offer(n), brokenOff]),
    does: [50, 51, 52, 53].flatMap((n) => [`ack ${n} received`, ...BEGUN.slice(1), 'update 2.0.0 failed']),
  },
  {
    name: 'sb/1 18.3: fails if the download can not begin',
    lines: [offer(50, { url: 'http://kit.invalid/image.bin' })],
    does: ['ack 50 received', 'download http://kit.invalid/image.bin', 'update 2.0.0 failed'],
  },
  {
    name: 'sb/1 18.3: declines an image for which there is no room',
    lines: [offer(50, { size: 100_001 })],
    does: ['ack 50 received', 'update 2.0.0 declined'],
  },
  {
    name: 'sb/1 18.1: does nothing about an offer of the firmware that it runs',
    lines: [offer(50, { fw: '1.0.0' })],
    does: ['ack 50 received'],
  },
  {
    name: 'sb/1 12.4: does not install what it can not count',
    lines: [offer(50), 'worn-out', image(), 'clock'],
    does: [...BEGUN, 'broken'],
  },
]
