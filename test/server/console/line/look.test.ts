import { expect, it } from 'vitest'
import { createLineReader, resultsOf } from '../../../../server/console/live/look.ts'
import { createSlices } from '../../../../server/platform/lists/slices.ts'
import { createLog } from '../../../../server/platform/log.ts'
import { createVirtualClock } from '../../../support/clock.ts'
import { openTestStorage } from '../../../support/storage.ts'
import { AT, createShop } from '../../storage/shop.ts'

it('counts each payment once, by its best speaker, and how long the money took to be heard', () => {
  const played = Array.from({ length: 20 }, (_, n) => ({
    ...{ receivedAt: AT, stages: ['played', 'expired'] as const, playedAt: AT + (n + 1) * 100 },
  }))
  const others = (['queued', 'sent', 'expired', 'failed', 'suppressed'] as const).map((stage) => ({
    ...{ receivedAt: AT, stages: [stage], playedAt: undefined },
  }))
  const fates = [...played, ...others, { receivedAt: AT, stages: [], playedAt: undefined }]
  expect(resultsOf(fates.map((fate) => ({ ...fate, stages: [...fate.stages] })))).toEqual({
    count: 26,
    of: { played: 20, open: 2, missed: 1, failed: 1, suppressed: 1, delivered: 0 },
    ...{ withoutSpeaker: 1, p50: 1_000, p95: 1_900 },
  })
  expect(resultsOf([])).toMatchObject({ count: 0, p50: undefined, p95: undefined })
  // The clock was set back while it played.
  expect(resultsOf([{ receivedAt: AT, stages: ['played'], playedAt: AT - 9 }])).toMatchObject({ p50: 0 })
})

it('counts what is wrong once in ten seconds for all who look, and shows the count before meanwhile', async () => {
  const { storage } = openTestStorage()
  const clock = createVirtualClock(AT)
  const shop = createShop(storage)
  let tallies = 0
  let release: (() => void) | undefined
  const tally: typeof storage.lists.devices.tally = async (...asked) => {
    tallies += 1
    if (tallies === 2) await new Promise<void>((resolve) => (release = resolve))
    return storage.lists.devices.tally(...asked)
  }
  const lists = { ...storage.lists, devices: { ...storage.lists.devices, tally } }
  const read = createLineReader({
    ...{ storage: { ...storage, lists }, hubSince: AT, retentionWaits: () => true, clock },
    ...{ slices: createSlices(), log: createLog('silent') },
  })
  await shop.device()
  const first = await Promise.all([read(), read()])
  expect(first.map(({ needs }) => needs?.offline)).toEqual([1, 1])
  expect(first[0].needs?.retentionWaits).toBe(true)
  await shop.device()
  await clock.wind(9_000)
  expect([(await read()).needs?.offline, tallies]).toEqual([1, 1])

  await clock.wind(1_000)
  const late = read()
  await clock.wind(100)
  expect([(await late).needs?.offline, (await late).needs?.at, tallies]).toEqual([1, AT, 2])
  release?.()
  await clock.wind(1_000)
  expect((await read()).needs?.offline).toBe(2)
})
