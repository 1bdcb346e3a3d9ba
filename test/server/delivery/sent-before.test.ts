import { describe, expect, it } from 'vitest'
import type { Command } from '../../../server/delivery/session/command.ts'
import { Session } from '../../../server/delivery/session/session.ts'
import { rules } from '../../../server/dialects/sb1/limits.ts'
import { createLog } from '../../../server/platform/log.ts'
import { createVirtualClock, settle } from '../../support/clock.ts'
import { AT } from '../storage/shop.ts'

const announcement = {
  ...{ id: '01JD3Z8Q6X9V5T7M2K4N8P0R1S', commandNumber: 7, expiresAt: AT + 120_000 },
  body: { kind: 'announce', amount: '50000', lang: 'vi', paidBill: '' },
} as const satisfies Command

/** A born session. The test decides when and how its outbox answers. */
function openWorld() {
  const record = Promise.withResolvers<'sent' | 'ended' | 'not_owner'>()
  const line = { published: 0, closed: false }
  const found = { isOpen: true }
  const marked: string[] = []
  const clock = createVirtualClock(AT)
  const session = new Session(
    { deviceId: 'd1', serial: 'SB-0001', sessionId: '0123456789abcdef', keepaliveMs: 60_000, login: '' },
    {
      rules,
      writer: { write: () => ({ topic: 't', payload: Buffer.alloc(1) }) },
      link: {
        publish() {
          line.published += 1
        },
        close() {
          line.closed = true
        },
        reset: () => undefined,
      },
    },
    {
      outbox: {
        nextNumber: async () => 1,
        markSent(id) {
          marked.push(id)
          return record.promise
        },
        isOpen: async () => found.isOpen,
      },
      patiently: (act) => act(),
      lost: () => undefined,
      clock,
      log: createLog('silent'),
    },
  )
  session.begin(512)
  return { session, line, record, found, marked, clock }
}

const ackOf = (commandId: string, commandNumber: number) => ({ commandId, commandNumber, reason: undefined })

/** The same, with an announcement in flight. */
function world() {
  const opened = openWorld()
  opened.session.push({ ...announcement })
  return opened
}

it('an announcement is sent only after it is stored as sent: a crash between the two can not repeat it', async () => {
  const { line, record, session } = world()
  await settle()
  expect(line.published).toBe(0)
  record.resolve('sent')
  await settle()
  expect(line.published).toBe(1)
  session.end()
})

it('nothing is sent, and the connection is closed, when that can not be stored', async () => {
  const { line, record } = world()
  record.reject(new Error('the disk is full'))
  await settle()
  expect(line).toEqual({ published: 0, closed: true })
})

it('an announcement that has ended is not sent, when it took long to store it as sent', async () => {
  const { session, line, record, found, clock } = world()
  found.isOpen = false
  await clock.wind(51)
  record.resolve('sent')
  await settle()
  expect(line.published).toBe(0)
  session.end()
})

it('an announcement that was withdrawn meanwhile is not sent', async () => {
  const { session, line, record } = world()
  session.withdraw(({ body }) => body.kind === 'announce')
  record.resolve('sent')
  await settle()
  expect(line.published).toBe(0)
})

it('an announcement that an ack of an older session has ended meanwhile is not sent', async () => {
  const { session, line, record, found } = world()
  found.isOpen = false
  expect(session.ackStored({ ...ackOf(announcement.id, announcement.commandNumber), stage: 'played' })).toBe(
    false,
  )
  record.resolve('sent')
  await settle()
  expect(line.published).toBe(0)
})

it('an announcement that ended in the queue is not sent, and the next command is', async () => {
  const { session, line, record } = world()
  session.push({ ...announcement, id: '01JD3Z8Q6X9V5T7M2K4N8P0R1T', body: { kind: 'identify' } })
  record.resolve('ended')
  await settle()
  expect(session.has(announcement.id)).toBe(false)
  expect(line.published).toBe(1)
  session.end()
})

/** An announcement that its own commit has stored as sent. */
const stored = (): Command => ({
  ...announcement,
  ...{ id: '01JD3Z8Q6X9V5T7M2K4N8P0R1U', commandNumber: 8, sentSince: AT },
})

describe('while an ack is being stored', () => {
  const received = { ...ackOf(stored().id, 8), stage: 'received' } as const
  const played = { ...received, stage: 'played' } as const

  it('its command is not sent again until the ack is stored', async () => {
    const { session, line, clock } = openWorld()
    session.push(stored())
    await settle()
    session.ackArrived(received)
    await clock.wind(3_000)
    expect(line.published).toBe(1)
    session.ackStored(received)
    await clock.wind(3_000)
    expect(line.published).toBe(2)
    session.end()
  })

  it('its command is not sent again, even if an ack from before a new birth is stored meanwhile', async () => {
    const { session, line, clock } = openWorld()
    session.push(stored())
    await settle()
    session.ackArrived(received)
    session.begin(512)
    session.push(stored())
    await settle()
    session.ackStored(received)
    session.ackArrived(played)
    await clock.wind(3_000)
    expect(line.published).toBe(2)
    expect(session.ackStored(played)).toBe(true)
    session.end()
  })
})

describe('an announcement that its own commit stored as sent', () => {
  it('is sent without a second commit', async () => {
    const { session, line, marked } = openWorld()
    expect(session.isIdle()).toBe(true)
    session.push(stored())
    expect(session.isIdle()).toBe(false)
    await settle()
    expect(line.published).toBe(1)
    expect(marked).toEqual([])
    session.end()
  })

  it('is not sent when the next commit has ended it, of which this hub hears first', async () => {
    const { session, line, found } = openWorld()
    found.isOpen = false
    session.withdraw(() => true)
    session.push(stored())
    await settle()
    expect(line.published).toBe(0)
    expect(session.isIdle()).toBe(true)
    session.end()
  })

  it.each([
    ['sent', 50, true],
    ['not sent, if it has ended meanwhile,', 51, false],
    ['not sent, if it has ended, and the clock was set back,', -1, false],
  ])('is %s when the answer of the act comes after %i ms', async (_, ms, isSent) => {
    const { session, line, found } = openWorld()
    found.isOpen = false
    session.push({ ...stored(), sentSince: AT - ms })
    await settle()
    expect(line.published).toBe(isSent ? 1 : 0)
    session.end()
  })

  it('is stored again at its turn when it had to wait: it may have ended meanwhile', async () => {
    const { session, line, record, marked } = world()
    expect(session.isIdle()).toBe(false)
    session.push(stored())
    record.resolve('sent')
    await settle()
    expect(line.published).toBe(1)
    session.ackStored({ ...ackOf(announcement.id, announcement.commandNumber), stage: 'received' })
    // Not yet: first it is stored.
    expect(line.published).toBe(1)
    expect(marked).toEqual([announcement.id, stored().id])
    await settle()
    expect(line.published).toBe(2)
    session.end()
  })

  it('is not sent while the session is held', async () => {
    const { session, line } = openWorld()
    session.hold()
    expect(session.isIdle()).toBe(false)
    session.push(stored())
    await settle()
    expect(line.published).toBe(0)
    session.end()
  })
})
