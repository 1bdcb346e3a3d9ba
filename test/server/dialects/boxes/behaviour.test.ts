import { describe, expect, it } from 'vitest'
import { dialectOf } from '../../../../server/dialects/boxes.ts'
import { messageIdOf } from '../../../../server/dialects/hemipay/message-id.ts'
import { announce, codecOf, ID, NOW, profileOf, sending } from './support.ts'

describe('rules and abilities', () => {
  const rulesOf = (name: string, change: object = {}) => {
    const profile = profileOf(name, change)
    return dialectOf(profile).rules(profile)
  }

  it.each([
    // 5,000 has 4 clips of 400 ms.
    ['hemipay', {}, 'delivered', 4 * 400 + 1_000, 30_000, 'subscribe'],
    ['hemipay', { played: ['play_end'] }, 'played', 4 * 400 + 1_000, 30_000, 'subscribe'],
    ['clip-numbers', {}, 'delivered', 4 * 400 + 2_000, undefined, 'subscribe'],
    ['alink', {}, 'played', 0, 60_000, 'connect'],
  ] as const)('of %s %j', (name, change, stage, busyMs, playedWithinMs, birth) => {
    const rules = rulesOf(name, change)
    expect(rules).toMatchObject({ birth, canShowMissed: name === 'hemipay' })
    expect(rules.playedWithinMs).toBe(playedWithinMs)
    expect(rules.proof).toMatchObject({ announce: stage, code: 'shown', qr: 'shown' })
    expect(rules.busyMs?.(announce('5000'))).toBe(busyMs)
    expect(rules.busyMs?.({ kind: 'clear', what: 'qr' })).toBe(0)
    expect(rules.pacing).toMatchObject({ unanswered: 'reset', resendAfterMs: [], yieldAfterMs: 10_000 })
  })

  it('a spoken code keeps the box busy', () => {
    expect(rulesOf('clip-numbers').busyMs?.({ kind: 'code', code: '123456' })).toBe(12 * 400 + 2_000)
    expect(rulesOf('hemipay').busyMs?.({ kind: 'code', code: '123456' })).toBe(0)
  })

  it.each([
    [
      'hemipay',
      {
        proof: 'accepted',
        identity: 'device',
        pairing: 'screen',
        screen: true,
        qr: true,
        missed: true,
        keypad: true,
        maxAmount: '999999999',
      },
    ],
    [
      'clip-numbers',
      { proof: 'none', pairing: 'spoken', screen: false, qr: false, missed: false, languages: ['vi', 'en'] },
    ],
    ['morefun', { proof: 'none', identity: 'weak', pairing: 'qr', qr: true, maxAmount: '9999999' }],
    ['alink', { proof: 'played', dialect: 'alink', profile: 'alink', settings: [] }],
  ])('of %s', (name, abilities) => {
    const profile = profileOf(name)
    expect(dialectOf(profile).abilities(profile)).toMatchObject(abilities)
  })
})

describe('a command', () => {
  it.each(['welcome', 'profile', 'clear', 'missed'] as const)(
    '%s needs nothing where the box has no screen',
    (kind) => {
      const body = {
        kind,
        name: '',
        qr: '',
        what: 'qr',
        count: 1,
        amount: '1',
        highestNumber: 0,
        linked: true,
        settingsVersion: 0,
      } as const
      const profile = profileOf('openluat')
      // The fields of all four kinds.
      expect(codecOf(profile).write(sending(body as never), 0, profile.bufferBytes)).toBe('done')
    },
  )

  it.each(['qr', 'code', 'identify', 'settings', 'rekey', 'update'] as const)(
    '%s fails where the box cannot do it',
    (kind) => {
      const profile = profileOf('openluat')
      const body = { kind, qr: 'x', amount: '1', billNumber: '1', code: '123456' }
      expect(codecOf(profile).write(sending(body as never), 0, profile.bufferBytes)).toEqual({
        failed: 'unsupported',
      })
    },
  )

  it.each([
    ['hemipay', { stage: 'received', proof: 'none' }],
    ['clip-numbers', { stage: 'delivered', proof: 'none' }],
    ['alink', { stage: 'received', proof: 'none' }],
  ])('confirmed by %s', (name, ack) => {
    const codec = codecOf(profileOf(name))
    expect(codec.confirmed(sending(announce('1')))).toMatchObject({ kind: 'reached', ack })
    expect(codec.confirmed(sending({ kind: 'code', code: '1' }))).toMatchObject({
      kind: 'reached',
      ack: { stage: 'shown' },
    })
  })

  it('the hub knows what a repeat does', () => {
    expect(codecOf(profileOf('hemipay')).born()).toMatchObject({
      box: { mayRepeat: false, until: 'received' },
      bufferBytes: 1024,
    })
    expect(codecOf(profileOf('clip-numbers')).born()).toMatchObject({
      box: { mayRepeat: true, until: 'received' },
    })
    expect(codecOf(profileOf('alink')).born()).toMatchObject({ box: { mayRepeat: false, until: 'played' } })
  })

  it('clip numbers are asked for a sign of life', () => {
    const { ping } = codecOf(profileOf('clip-numbers'))
    expect(ping?.everyMs).toBe(300_000)
    expect(Buffer.from(ping?.message().payload ?? []).toString()).toBe('{"cmd":"getinfo"}')
    expect(codecOf(profileOf('openluat')).ping).toBeUndefined()
  })
})

describe('a box is taken at its word, and no further', () => {
  const hears = (
    profile: ReturnType<typeof profileOf>,
    body: Parameters<typeof sending>[0],
    message: object,
  ) => {
    const codec = codecOf(profile)
    codec.write(sending(body), NOW, profile.bufferBytes)
    return codec.read({ topic: 't', qos: 0, retain: false, payload: JSON.stringify(message) })
  }

  it('the end of a sound says nothing of a screen', () => {
    const profile = profileOf('hemipay', { played: ['play_end'] })
    const report = {
      message_id: messageIdOf(ID),
      packet_type: 'play_report',
      content: { play_status: 'play_end' },
    }
    expect(hears(profile, announce('5000'), report)).toMatchObject({ ack: { stage: 'played' } })
    expect(hears(profile, { kind: 'code', code: '123456' }, report)).toMatchObject({ kind: 'ignored' })
  })

  it('a payment of 0 is not sent to a box that may say it', () => {
    const profile = profileOf('hemipay')
    expect(codecOf(profile).write(sending({ kind: 'clear', what: 'qr' }), NOW, 1_024)).toBe('done')
  })

  it('a sentence without one of its words is not sent', () => {
    const profile = profileOf('clip-numbers', {
      pack: { currency: 'VND', clips: { vi: { 'da-nhan': '100', dong: '101' } }, forbidden: [] },
    })
    expect(codecOf(profile).write(sending(announce('5000')), NOW, 512)).toEqual({ failed: 'no_clip' })
  })

  it('a box without a battery has no charge', () => {
    const heard = hears(profileOf('clip-numbers'), announce('1'), { batt: 0, signal: -60 })
    expect(heard).toMatchObject({ kind: 'telemetry', readings: { battery: undefined, signal: -60 } })
  })
})
