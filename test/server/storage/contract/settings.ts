import { expect, it } from 'vitest'
import type { Language } from '../../../../protocol/money/language.ts'
import { type Actor, byPartner } from '../../../../server/security/actor.ts'
import type { SettingsPlan } from '../../../../server/settings/settings.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { AT, bornWith, createShop, ownerOf, payWell } from '../shop.ts'
import type { OpenStorage } from '../storage-contract.ts'

const doc = (ver: number, volume = 70) => ({ ver, volume, lang: 'vi' }) as const

export function settingsContract(open: OpenStorage) {
  async function speaker() {
    let plan: SettingsPlan = { kind: 'unchanged' }
    const { storage, reopen } = await open({ planSettings: () => plan })
    const shop = createShop(storage)
    const clientId = await shop.partner()
    const { serial, deviceId } = await shop.speaker(clientId)
    const { settings } = storage
    /** A change that the rules make into this. */
    const change = (who: Actor, of: string, into: SettingsPlan) => {
      plan = into
      return settings.change(who, of, {}, AT)
    }
    const wish = (ver: number, volume?: number) =>
      change(byPartner(clientId), serial, { kind: 'changed', desired: doc(ver, volume) })
    return { storage, reopen, shop, clientId, serial, deviceId, settings, change, wish }
  }

  it('keeps desired and reported settings over a reopening', async () => {
    const { settings, reopen, clientId, serial, deviceId, wish } = await speaker()
    await settings.report(deviceId, doc(1, 10), AT)
    const changed = await wish(2, 20)
    expect(changed?.settings).toMatchObject({ deviceId, desired: doc(2, 20), reported: doc(1, 10) })
    expect(await (await reopen()).settings.find(byPartner(clientId), serial)).toEqual({
      ...changed?.settings,
      dialect: 'sb/1',
      profile: undefined,
    })
  })

  it('writes nothing when the rules change nothing', async () => {
    const { settings, clientId, serial, change } = await speaker()
    const plans: SettingsPlan[] = [{ kind: 'unchanged' }, { kind: 'refused', field: 'lang', issue: 'no' }]
    for (const plan of plans)
      expect(await change(byPartner(clientId), serial, plan)).toMatchObject({
        plan,
        settings: { desired: undefined },
      })
    expect(await settings.due([serial])).toEqual([])
  })

  it('lets a partner see and change only its own devices, and an operator all that are not revoked', async () => {
    const { storage, settings, shop, serial, change } = await speaker()
    const foreign = byPartner(await shop.partner())
    const free = await shop.device()
    for (const one of [serial, free.serial, 'SPK-NONE']) {
      expect(await settings.find(foreign, one)).toBeUndefined()
      expect(await change(foreign, one, { kind: 'changed', desired: doc(1) })).toBeUndefined()
    }
    for (const one of [serial, free.serial]) expect(await settings.find(OPERATOR, one)).toBeDefined()
    await storage.devices.revoke(OPERATOR, serial, AT)
    expect(await settings.find(OPERATOR, serial)).toBeUndefined()
  })

  it('names a device as due until it reports the version, or a later one', async () => {
    const { settings, serial, deviceId, wish } = await speaker()
    await wish(3)
    expect(await settings.due(['SPK-OTHER'])).toEqual([])
    await settings.report(deviceId, doc(2), AT)
    expect(await settings.due([serial])).toEqual([{ deviceId, desired: doc(3) }])
    await settings.report(deviceId, doc(3), AT)
    expect(await settings.due([serial])).toEqual([])
    await wish(4)
    await settings.report(deviceId, doc(9), AT)
    expect(await settings.due([serial])).toEqual([])
  })

  it.each([
    ['nothing to a device that never got any', [], undefined, 5, undefined],
    ['what it missed to one that is behind', [4], 2, 2, 4],
    ['the same again to one whose report was lost, so that it reports', [4], 2, 4, 4],
    ['nothing to one that is up to date', [4], 4, 4, undefined],
    ['nothing to one that was changed by hand, and has said so', [4], 6, 6, undefined],
    ['the same again to one that was changed by hand while it was away, so that it reports', [4], 4, 5, 4],
    ['a higher version to one that is ahead of a restored backup', [4], 2, 8, 9],
    ['nothing to one that has used up its versions', [4], 2, 0xffff_ffff, undefined],
  ] as const)('catches up: %s', async (_, desired, reported, inForce, told) => {
    const { storage, settings, clientId, serial, deviceId, wish } = await speaker()
    if (reported !== undefined) await settings.report(deviceId, doc(reported), AT)
    for (const ver of desired) await wish(ver)
    const start = await storage.outbox.begin(ownerOf(deviceId), AT, {
      born: bornWith({ settingsVersion: inForce }),
    })
    expect(start?.reportedVersion).toBe(reported)
    expect(start?.settings?.ver).toBe(told)
    if (told !== undefined)
      expect((await settings.find(byPartner(clientId), serial))?.desired?.ver).toBe(told)
  })

  it('stores the languages of a birth, and announces in one that the device has clips for', async () => {
    const { storage, settings, shop, clientId, serial, deviceId } = await speaker()
    const isBorn = (languages: Language[]) =>
      storage.outbox.begin(ownerOf(deviceId), AT, { born: bornWith({ languages }) })
    const announced = async () => (await payWell(shop, clientId)).announcements.map(({ lang }) => lang)
    await isBorn([])
    expect(await announced()).toEqual(['vi'])
    await isBorn(['en'])
    expect(await settings.find(byPartner(clientId), serial)).toMatchObject({ languages: ['en'] })
    expect(await announced()).toEqual(['en'])
    // Factory settings may name a language that the device has no clips for.
    await settings.report(deviceId, { ver: 0, volume: 80, lang: 'vi' }, AT)
    expect(await announced()).toEqual(['en'])
    await isBorn(['vi', 'en'])
    expect(await announced()).toEqual(['en'])
    await settings.report(deviceId, { ver: 1, volume: 80, lang: 'vi' }, AT)
    expect(await announced()).toEqual(['vi'])
  })

  it('takes requests to identify a device once, and drops old ones', async () => {
    const { storage, deviceId, serial, shop } = await speaker()
    const { devices } = storage
    const other = await shop.device()
    const revoked = await shop.device()
    await devices.revoke(OPERATOR, revoked.serial, AT)
    for (const unknown of ['SPK-NONE', revoked.serial])
      expect(await devices.askIdentify(OPERATOR, unknown, AT)).toBe(false)
    expect(await devices.askIdentify(OPERATOR, serial, AT)).toBe(true)
    expect(await devices.askIdentify(OPERATOR, other.serial, AT - 60_000)).toBe(true)
    expect(await devices.takeIdentifyRequests(AT - 10_000)).toEqual([deviceId])
    expect(await devices.takeIdentifyRequests(0)).toEqual([])
    expect(await devices.identifiedAt(serial)).toBeUndefined()
    await devices.recordIdentified(deviceId, AT + 5)
    expect(await devices.identifiedAt(serial)).toBe(AT + 5)
  })
}
