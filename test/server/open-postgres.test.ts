import { expect, it } from 'vitest'
import { waitForPostgres } from '../../server/open-postgres.ts'
import { systemClock } from '../../server/platform/clock.ts'
import { HubError } from '../../server/platform/errors.ts'
import { createLog } from '../../server/platform/log.ts'

it('has one wait for all steps of a start, says so once, and ends at any other error', async () => {
  const said: string[] = []
  let elapsed = 0
  const log = createLog('warn', { write: (line) => void said.push(JSON.parse(line).msg) })
  const clock = { ...systemClock, elapsed: () => elapsed }
  const atStart = waitForPostgres(60_000, { clock, log, stopping: undefined })
  const fails = async () => {
    throw new HubError('UNAVAILABLE')
  }
  let tries = 0
  const second = async () => {
    tries += 1
    return tries === 1 ? fails() : 'answered'
  }
  expect(await atStart(second)).toBe('answered')
  await expect(atStart(() => Promise.reject(new Error('a wrong password')))).rejects.toThrow(
    'a wrong password',
  )
  elapsed = 60_000
  await expect(atStart(fails)).rejects.toMatchObject({ kind: 'UNAVAILABLE' })
  expect(said).toHaveLength(1)
})
