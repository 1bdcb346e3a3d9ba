import { describe, expect, it } from 'vitest'
import { ownAbilities } from '../../../server/devices/abilities.ts'
import type { Answer } from '../../../server/devices/answer.ts'
import type { Presence, Screens } from '../../../server/devices/ports.ts'
import { registerDevice } from '../../../server/devices/register-device.ts'
import { sendVerification } from '../../../server/devices/send-verification.ts'
import { createKeyedLock } from '../../../server/platform/keyed-lock.ts'
import { createVirtualClock } from '../../support/clock.ts'
import { openTestStorage } from '../../support/storage.ts'
import { AT, createShop } from '../storage/shop.ts'

/** A screen that shows every code, unless a test sets another answer. */
function fakeScreens() {
  const shown: string[] = []
  const state = { connected: true, answer: 'done' as Answer['kind'], showing: 0, mostAtOnce: 0, cleared: 0 }
  const screens: Screens & Presence = {
    isConnected: async () => state.connected,
    async showCode(_deviceId, code) {
      state.showing += 1
      state.mostAtOnce = Math.max(state.mostAtOnce, state.showing)
      await Promise.resolve()
      state.showing -= 1
      shown.push(code)
      return { kind: state.answer, reason: 'display_failed' }
    },
    clearCode: () => {
      state.cleared += 1
    },
    refresh: () => undefined,
    clearBill: () => undefined,
  }
  return { shown, state, screens }
}

async function bench() {
  const { storage, vault } = openTestStorage()
  const { shown, state, screens } = fakeScreens()
  const clock = createVirtualClock(AT)
  const shop = createShop(storage)
  const [clientId, foreign] = [await shop.partner(), await shop.partner()]
  const device = await shop.device('SPK-1')
  const { devices, codes } = storage
  const base = { devices, codes, screens, presence: screens, vault, clock, ids: shop.ids }
  return {
    ...{ storage, shown, state, clock, shop, clientId, foreign, device },
    send: sendVerification({
      ...base,
      lock: createKeyedLock(),
      abilitiesOf: async (device) => ownAbilities(device),
    }),
    register: registerDevice(base),
    quota: async () => (await codes.before(clientId, device.deviceId)).own,
  }
}

const refused = (kind: string) => expect.objectContaining({ kind })

describe('sending a verification code', () => {
  it('keeps the old code when a newer one could not be shown', async () => {
    const { send, register, shown, state, clientId } = await bench()
    await send(clientId, 'SPK-1')
    state.answer = 'failed'
    await expect(send(clientId, 'SPK-1')).rejects.toEqual(refused('DEVICE_DISPLAY_FAILED'))
    const request = {
      serial: 'SPK-1',
      phoneNumber: '0912345678',
      rmCode: undefined,
      store: { terminalID: 'T1' },
    }
    await register(clientId, { ...request, verificationCode: shown[0] ?? '' })
  })

  it('leaves every partner its own three, whatever another has used up, and its code good', async () => {
    const { send, register, shown, clientId, foreign } = await bench()
    await send(clientId, 'SPK-1')
    const asked = Array.from({ length: 5 }, () => send(foreign, 'SPK-1'))
    const mine = send(clientId, 'SPK-1')
    const kinds = (await Promise.allSettled(asked)).map(({ status }) => status)
    expect(kinds).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected'])
    expect(await mine).toMatchObject({ codesRemaining: 1 })
    await expect(send(foreign, 'SPK-1')).rejects.toEqual(refused('VERIFICATION_QUOTA'))
    const request = { serial: 'SPK-1', phoneNumber: '0912345678', rmCode: undefined }
    const verificationCode = shown.at(-1) ?? ''
    await register(clientId, { ...request, store: { terminalID: 'T1' }, verificationCode })
  })

  it('clears the screen for a wrong guess only when it shows the code of the guesser', async () => {
    const { send, register, state, clock, clientId, foreign } = await bench()
    const guess = (partner: string) =>
      register(partner, {
        ...{ serial: 'SPK-1', phoneNumber: '0912345678', rmCode: undefined, store: { terminalID: 'T1' } },
        verificationCode: 'guess',
      })
    await send(clientId, 'SPK-1')
    await clock.wind(1)
    await send(foreign, 'SPK-1')
    await expect(guess(clientId)).rejects.toEqual(refused('VERIFICATION_CODE_INVALID'))
    expect(state.cleared).toBe(0)
    await expect(guess(foreign)).rejects.toEqual(refused('VERIFICATION_CODE_INVALID'))
    expect(state.cleared).toBe(1)
  })

  it('removes a code from the screen when another one used up the quota meanwhile', async () => {
    const { send, shop, state, clientId, device, storage } = await bench()
    await send(clientId, 'SPK-1')
    await send(clientId, 'SPK-1')
    const late = send(clientId, 'SPK-1')
    await shop.issue(clientId, device)
    await expect(late).rejects.toEqual(refused('VERIFICATION_QUOTA'))
    expect(state.cleared).toBe(1)
    expect((await storage.codes.before(clientId, device.deviceId)).own).toMatchObject({ issued: 3 })
  })
})
