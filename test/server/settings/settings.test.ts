import { describe, expect, it } from 'vitest'
import {
  type DeviceSettings,
  isApplied,
  languageAfterBirth,
  planSettings,
} from '../../../server/settings/settings.ts'

const doc = (ver: number, volume = 70, lang: 'vi' | 'en' = 'vi') => ({ ver, volume, lang })
const known = (more: Partial<DeviceSettings> = {}): DeviceSettings => ({
  deviceId: 'd1',
  serial: 'SB-0001',
  desired: undefined,
  reported: undefined,
  languages: ['vi', 'en'],
  ...more,
})

describe('a change of settings', () => {
  it.each([
    ['the first document of a device that has told nothing', known(), doc(1, 50, 'en')],
    ['above what was desired', known({ desired: doc(4) }), doc(5, 50, 'en')],
    ['above what the device reports', known({ reported: doc(7) }), doc(8, 50, 'en')],
    ['above both', known({ desired: doc(4), reported: doc(9) }), doc(10, 50, 'en')],
  ])('makes %s', (_, before, desired) => {
    expect(planSettings(before, { volume: 50, lang: 'en' })).toEqual({ kind: 'changed', desired })
  })

  it('keeps what it leaves out as it was desired, or else as the device uses it', () => {
    expect(planSettings(known({ desired: doc(1, 30, 'en') }), { volume: 0 })).toMatchObject({
      desired: { volume: 0, lang: 'en' },
    })
    expect(planSettings(known({ reported: doc(1, 30, 'en') }), { lang: 'vi' })).toMatchObject({
      desired: { volume: 30, lang: 'vi' },
    })
  })

  it('starts from what was changed at the device itself when that is newer', () => {
    const before = known({ desired: doc(1, 30), reported: doc(2, 90) })
    expect(planSettings(before, { lang: 'en' })).toEqual({ kind: 'changed', desired: doc(3, 90, 'en') })
  })

  it('makes no new version of what is desired already', () => {
    expect(planSettings(known({ desired: doc(1, 30) }), { volume: 30, lang: 'vi' })).toEqual({
      kind: 'unchanged',
    })
  })

  it('makes a new version when the device uses something else under the desired one', () => {
    const before = known({ desired: doc(2, 80), reported: doc(2, 20) })
    expect(planSettings(before, { volume: 80 })).toEqual({ kind: 'changed', desired: doc(3, 80) })
  })

  it('refuses when there is no version above', () => {
    const before = known({ desired: doc(1), reported: doc(0xffff_ffff) })
    expect(planSettings(before, { volume: 9 })).toMatchObject({ kind: 'refused', field: 'volume' })
  })

  it.each([
    ['volume', { lang: 'vi' as const }],
    ['lang', { volume: 10 }],
  ])('asks for %s when nobody knows what the device uses', (field, change) => {
    expect(planSettings(known(), change)).toMatchObject({ kind: 'refused', field })
  })

  it('refuses a language that the device has no clips of', () => {
    const plan = planSettings(known({ languages: ['vi'] }), { volume: 10, lang: 'en' })
    expect(plan).toMatchObject({ kind: 'refused', field: 'lang', issue: expect.stringContaining('vi') })
  })

  it('takes any language of a device that was never there', () => {
    expect(planSettings(known({ languages: [] }), { volume: 10, lang: 'en' }).kind).toBe('changed')
  })
})

it.each([
  [undefined, undefined, true],
  [undefined, doc(3), true],
  [doc(1), undefined, false],
  [doc(2), doc(1), false],
  [doc(2), doc(2), true],
  [doc(2), doc(3), true],
  [doc(2), doc(2, 20), false],
])('desired %o and reported %o: applied is %s', (desired, reported, applied) => {
  expect(isApplied({ desired, reported })).toBe(applied)
})

describe('the language of announcements after a birth', () => {
  it.each([
    ['stays when the device has clips for it', 'vi', ['en', 'vi'], 'vi'],
    ['is the first of the device when it has none', 'vi', ['en'], 'en'],
    ['stays when the device names no language', 'vi', [], 'vi'],
  ] as const)('%s', (_what, present, clips, language) => {
    expect(languageAfterBirth(present, clips)).toBe(language)
  })
})
