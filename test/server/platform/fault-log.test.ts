import { expect, it } from 'vitest'
import { createFaultLog } from '../../../server/platform/fault-log.ts'
import { createLog } from '../../../server/platform/log.ts'
import { createVirtualClock } from '../../support/clock.ts'

const MINUTE_MS = 60_000

it('logs a fault at once, then once a minute how often it came, and at once again when it had ended', async () => {
  const clock = createVirtualClock()
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(line) })
  const fault = createFaultLog(log, clock, 'the storage refuses')
  const said = () => lines.splice(0).map((line) => JSON.parse(line))
  const full = (block: number) => Object.assign(new Error(`no room for block ${block}`), { code: '53100' })

  fault(full(1), { requestId: 'r1' })
  expect(said()).toEqual([
    expect.objectContaining({
      msg: 'the storage refuses',
      requestId: 'r1',
      err: expect.objectContaining({ message: 'no room for block 1' }),
    }),
  ])
  for (const block of [2, 3, 4]) fault(full(block))
  fault(new Error('another one'))
  expect(said()).toMatchObject([{ err: { message: 'another one' } }])
  await clock.wind(MINUTE_MS)
  expect(said()).toMatchObject([{ msg: 'the storage refuses, in the last minute', code: '53100', times: 3 }])
  fault(full(5))
  expect(said()).toEqual([])
  await clock.wind(MINUTE_MS)
  expect(said()).toMatchObject([{ code: '53100', times: 1 }])
  await clock.wind(MINUTE_MS)
  expect(said()).toEqual([])
  fault(full(6))
  expect(said()).toMatchObject([{ msg: 'the storage refuses', err: { message: 'no room for block 6' } }])
})
