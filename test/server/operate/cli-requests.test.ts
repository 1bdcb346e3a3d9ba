import { expect, it } from 'vitest'
import { serveCliRequests } from '../../../server/operate/cli-requests.ts'
import { createLog } from '../../../server/platform/log.ts'
import type { StorageChange } from '../../../server/storage/ports.ts'
import { createVirtualClock, settle } from '../../support/clock.ts'

type Deps = Parameters<typeof serveCliRequests>[0]

/** A storage that notes each look for revoked devices; `answer` says what a look finds. */
function scene(connected: string[] = []) {
  const clock = createVirtualClock()
  const lines: string[] = []
  let tell: (change: StorageChange) => void = () => undefined
  let isSubscribed = true
  const looks: string[] = []
  const disconnected: string[] = []
  const asked: number[] = []
  const maintained: string[] = []
  const none = async () => []
  const answer = { revoked: async (): Promise<string[]> => [] }
  // The parts that the requests of these tests use.
  const deps = {
    storage: {
      changes(listener: typeof tell) {
        tell = listener
        return () => {
          isSubscribed = false
        }
      },
      devices: {
        revokedAmong: async () => {
          looks.push('look')
          return answer.revoked()
        },
        takeIdentifyRequests: none,
      },
      settings: { due: none },
      maintenance: {
        due: async (deviceIds: readonly string[]) => {
          asked.push(deviceIds.length)
          return deviceIds.map((deviceId) => ({ deviceId }))
        },
      },
    },
    delivery: {
      connectedSerials: () => ['SPK-1'],
      connectedDevices: () => connected,
      maintain: ({ deviceId }: { deviceId: string }) => maintained.push(deviceId),
    },
    gate: { disconnect: (serial: string) => disconnected.push(serial) },
    clock,
    log: createLog('error', { write: (line) => void lines.push(line) }),
  } as unknown as Deps
  const stop = serveCliRequests(deps)
  return {
    ...{ clock, lines, looks, disconnected, asked, maintained, answer, stop },
    tell: (change: StorageChange) => tell(change),
    isSubscribed: () => isSubscribed,
  }
}

it('carries out requests when the storage tells of them, and only then', async () => {
  const { answer, clock, tell, looks, disconnected } = scene()
  answer.revoked = async () => ['SPK-1']
  tell('grants')
  await clock.wind(10_000)
  expect(looks).toHaveLength(0)
  tell('requests')
  await settle()
  expect(disconnected).toEqual(['SPK-1'])
})

it('gives keys and firmware to some devices at a time, so that payments do not wait', async () => {
  const connected = Array.from({ length: 250 }, (_, index) => `device ${index}`)
  const { clock, tell, asked, maintained } = scene(connected)
  tell('requests')
  await settle()
  expect(asked).toEqual([100])
  await clock.wind(10)
  expect(asked).toEqual([100, 100, 50])
  expect(maintained).toEqual(connected)
})

it('runs once more when further requests come during a run, never twice at once', async () => {
  const { answer, tell, looks } = scene()
  const first = Promise.withResolvers<string[]>()
  answer.revoked = () => (looks.length === 1 ? first.promise : Promise.resolve([]))
  for (let count = 0; count < 3; count += 1) tell('requests')
  await settle()
  expect(looks).toHaveLength(1)
  first.resolve([])
  await settle()
  expect(looks).toHaveLength(2)
})

it('repeats a run that failed, and logs the failure', async () => {
  const { answer, clock, tell, looks, lines } = scene()
  answer.revoked = () => (looks.length === 1 ? Promise.reject(new Error('disk full')) : Promise.resolve([]))
  tell('requests')
  await clock.wind(10_000)
  expect(looks).toHaveLength(2)
  expect(lines).toEqual([expect.stringContaining('disk full')])
})

it('ends with its subscription, and repeats nothing afterwards', async () => {
  const { answer, clock, tell, looks, stop, isSubscribed } = scene()
  answer.revoked = () => Promise.reject(new Error('disk full'))
  tell('requests')
  await settle()
  stop()
  await clock.wind(10_000)
  expect([looks.length, isSubscribed()]).toEqual([1, false])
})
