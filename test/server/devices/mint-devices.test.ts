import { describe, expect, it } from 'vitest'
import { SERIAL_PATTERN } from '../../../protocol/topics.ts'
import { type MintedDevice, mintDevices } from '../../../server/devices/mint-devices.ts'
import type { DeviceRecords } from '../../../server/devices/ports.ts'
import { sb1 } from '../../../server/dialects/sb1/index.ts'
import { systemClock } from '../../../server/platform/clock.ts'
import { createRandomIds } from '../../../server/platform/ids.ts'
import { OPERATOR } from '../../support/actors.ts'
import { openTestStorage } from '../../support/storage.ts'

const ids = createRandomIds()

async function mint(devices: DeviceRecords, count: number, prefix?: string) {
  const commits: (readonly MintedDevice[])[] = []
  const made = await mintDevices(
    { by: OPERATOR, devices, loginHash: sb1.loginHash, clock: systemClock, ids },
    { count, prefix },
    (some) => {
      commits.push(some)
    },
  )
  return { made, commits, serials: commits.flat().map(({ serial }) => serial) }
}

describe('many devices', () => {
  it('are numbered on from the highest number of their prefix, and their keys are those that are kept', async () => {
    const { devices } = openTestStorage().storage
    expect((await mint(devices, 2, 'F-')).serials).toEqual(['F-00001', 'F-00002'])
    await mint(devices, 1, 'F-X')
    const { serials, commits } = await mint(devices, 2, 'F-')
    expect(serials).toEqual(['F-00003', 'F-00004'])
    for (const { serial, key } of commits.flat())
      expect((await devices.credentials(serial))?.key.toString('base64url')).toBe(key)
  })

  it('are told commit by commit, so that none of their keys is lost when a later one fails', async () => {
    const { devices } = openTestStorage().storage
    const { made, commits } = await mint(devices, 1_100, 'F-')
    expect(made).toBe(1_100)
    expect(commits.map((some) => some.length)).toEqual([500, 500, 100])
    expect(await devices.list()).toHaveLength(1_100)
  })

  it('pass over a serial that somebody else has taken meanwhile', async () => {
    const { devices } = openTestStorage().storage
    await mint(devices, 1, 'F-')
    const blind: DeviceRecords = { ...devices, list: async () => [] }
    expect((await mint(blind, 2, 'F-')).serials).toEqual(['F-00002', 'F-00003'])
  })

  it('get serials that are made up when no prefix is given', async () => {
    const { serials } = await mint(openTestStorage().storage.devices, 20)
    expect(new Set(serials).size).toBe(20)
    for (const serial of serials) expect(serial).toMatch(SERIAL_PATTERN)
  })

  it('are none at all when the last of their serials would be too long', async () => {
    const { devices } = openTestStorage().storage
    const prefix = 'F'.repeat(27)
    await devices.mint(OPERATOR, {
      ...{ id: 'x', serial: `${prefix}99998`, key: ids.deviceKey() },
      ...{ loginHash: Buffer.alloc(32), at: 1 },
    })
    expect(await mint(devices, 2, prefix)).toMatchObject({ made: undefined, commits: [] })
    expect((await mint(devices, 1, prefix)).serials).toEqual([`${prefix}99999`])
  })
})
