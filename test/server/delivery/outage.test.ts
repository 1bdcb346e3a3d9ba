import { expect, it, vi } from 'vitest'
import { HubError } from '../../../server/platform/errors.ts'
import { openStage } from './stage.ts'

it('says once that the storage is away, however long it is', async () => {
  const { storage, clock, warnings } = await openStage()
  const expire = vi.spyOn(storage.outbox, 'expire').mockRejectedValue(new HubError('UNAVAILABLE'))
  await clock.wind(60_000)
  expect(expire.mock.calls.length).toBeGreaterThan(30)
  expect(warnings.map((line) => JSON.parse(line).msg)).toEqual([
    'the storage is away: requests get 503 until it is back',
  ])
  expire.mockRestore()
  await clock.wind(2_000)
  vi.spyOn(storage.outbox, 'expire').mockRejectedValue(new HubError('UNAVAILABLE'))
  await clock.wind(2_000)
  expect(warnings).toHaveLength(2)
})
