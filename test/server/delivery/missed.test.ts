import { expect, it } from 'vitest'
import type { MissedMark, MissedPayments } from '../../../server/announcements/ports.ts'
import { MissedNotices } from '../../../server/delivery/missed.ts'
import type { Command } from '../../../server/delivery/session/command.ts'
import type { Session } from '../../../server/delivery/session/session.ts'
import type { Parts } from '../../../server/delivery/sessions.ts'
import { createVirtualClock, settle } from '../../support/clock.ts'

const sum = (count: number, amount: string) => ({ count, amount, mark: { upTo: count, except: [] } })

/** Notices to one session. `reads`: what the outbox sums up, one after another. */
function world(...reads: (MissedPayments | Promise<MissedPayments>)[]) {
  const pushed: Command[] = []
  const marked: MissedMark[] = []
  const session = {
    deviceId: 'd',
    rules: { canShowMissed: true },
    withdraw(which: (command: Command, isSent: boolean) => boolean) {
      for (const command of pushed)
        if (which(command, command.commandNumber !== undefined)) command.onEnd?.({ kind: 'dropped' })
    },
    push: (command: Command) => pushed.push(command),
  } as unknown as Session
  let id = 0
  const parts = {
    outbox: {
      missed: async () => reads.shift(),
      markMissedShown: async (_deviceId: string, mark: MissedMark) => marked.push(mark),
    },
    patiently: (act: () => unknown) => act(),
    sessions: { toTell: () => session, inBackground: () => undefined },
    ...{ clock: createVirtualClock(), ids: { commandId: () => `c${++id}` } },
  } as unknown as Parts
  return { notices: new MissedNotices(parts), session, pushed, marked }
}

it('a sum of which a payment was taken out while it was read is not sent', async () => {
  const read = Promise.withResolvers<MissedPayments>()
  const { notices, pushed } = world(read.promise, sum(1, '11'))
  const first = notices.show('d')
  await settle()
  const again = notices.sumUpAgain('d')
  read.resolve(sum(2, '18'))
  await Promise.all([first, again])
  expect(pushed.map(({ body }) => body)).toEqual([{ kind: 'missed', count: 1, amount: '11' }])
})

it('sb/1 7.23: payments of a notice that was dropped and shown all the same are not in the next one', async () => {
  const { notices, session, pushed, marked } = world(sum(1, '7'), sum(2, '18'), sum(1, '11'))
  await notices.show('d')
  Object.assign(pushed[0] ?? {}, { commandNumber: 1 })
  pushed[0]?.onEnd?.({ kind: 'dropped' })
  await notices.show('d')
  await notices.shown(session, 'c1')
  await settle()
  expect(marked).toEqual([sum(1, '7').mark])
  expect(pushed.map(({ body }) => body).slice(1)).toMatchObject([{ amount: '18' }, { amount: '11' }])
})

it('a device that can not show missed payments is sent none, and they are stored as shown', async () => {
  const { notices, session, pushed, marked } = world(sum(2, '18'))
  Object.assign(session, { rules: { canShowMissed: false } })
  await notices.show('d')
  expect(pushed).toEqual([])
  expect(marked).toEqual([{ upTo: 2, except: [] }])
})
