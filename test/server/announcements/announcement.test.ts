import { expect, it } from 'vitest'
import { isFinal, OPEN_STAGES, STAGES, stagesBefore } from '../../../server/announcements/announcement.ts'

it.each([
  ['queued', []],
  ['sent', ['queued']],
  ['received', ['queued', 'sent']],
  ['played', ['queued', 'sent', 'received']],
  ['failed', ['queued', 'sent', 'received']],
  ['expired', ['queued', 'sent', 'received']],
  ['suppressed', ['queued', 'sent', 'received']],
] as const)('%s is reached from %j', (stage, before) => {
  expect(stagesBefore(stage)).toEqual(before)
})

it('no stage follows a final stage, and every other stage is open', () => {
  expect(STAGES.filter(isFinal)).toEqual(['played', 'delivered', 'failed', 'expired', 'suppressed'])
  expect(STAGES.filter((stage) => !isFinal(stage))).toEqual(OPEN_STAGES)
  for (const stage of STAGES) expect(stagesBefore(stage).filter(isFinal)).toEqual([])
})
