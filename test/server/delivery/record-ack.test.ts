import { expect, it } from 'vitest'
import type { Ack } from '../../../protocol/messages/ack.ts'
import type { AckStep } from '../../../server/delivery/ports.ts'
import { recordAck } from '../../../server/delivery/record-ack.ts'
import type { Session } from '../../../server/delivery/session-interface.ts'
import { createVirtualClock, settle } from '../../support/clock.ts'

const [ONE, OTHER] = ['01JD3Z8Q6X9V5T7M2K4N8P0R1S', '01JD3Z8Q6X9V5T7M2K4N8P0R1T'] as const

const ackOf = (id: string, st: Ack['st'], rc?: Ack['rc']): Ack => ({ t: 'ack', id, n: 7, st, rc })

/** Acks that come to a record whose answers a test gives by hand; what happens is written down in order. */
function world() {
  const happened: string[] = []
  const steps: AckStep[] = []
  const answers: PromiseWithResolvers<boolean>[] = []
  const outbox = {
    recordAck(step: AckStep) {
      steps.push(step)
      const answer = Promise.withResolvers<boolean>()
      answers.push(answer)
      return answer.promise
    },
  }
  const delivery = {
    acked: (session: Session, { id, st }: Ack) => happened.push(`${session.deviceId} ${id} ${st} moves on`),
  }
  // Of outbox, delivery and session it asks for no more than this.
  const store = recordAck({ outbox, delivery, clock: createVirtualClock() } as unknown as Parameters<
    typeof recordAck
  >[0])
  const session = (deviceId: string) => ({ deviceId, hears: () => undefined }) as unknown as Session
  function hear(from: Session, ack: Ack) {
    store(from, ack).then(
      () => happened.push(`${from.deviceId} ${ack.id} ${ack.st} confirmed`),
      () => happened.push(`${from.deviceId} ${ack.id} ${ack.st} refused`),
    )
  }
  const stages = () => steps.map(({ deviceId, announcementId, stage }) => [deviceId, announcementId, stage])
  return { happened, steps, stages, answers, session, hear }
}

it('stores received and played in one act when they come together, and confirms neither before it', async () => {
  const { hear, session, steps, answers, happened } = world()
  const speaker = session('d1')
  hear(speaker, ackOf(ONE, 'received'))
  hear(speaker, ackOf(ONE, 'played'))
  await settle()
  expect(steps).toEqual([
    { announcementId: ONE, deviceId: 'd1', stage: 'played', reason: undefined, isReceivedToo: true },
  ])
  expect(happened).toEqual([])
  answers[0]?.resolve(true)
  await settle()
  expect(happened.filter((line) => line.endsWith('moves on'))).toEqual([
    `d1 ${ONE} received moves on`,
    `d1 ${ONE} played moves on`,
  ])
  expect(happened.filter((line) => line.endsWith('confirmed'))).toHaveLength(2)
})

it('confirms neither when they could not be stored', async () => {
  const { hear, session, answers, happened } = world()
  const speaker = session('d1')
  hear(speaker, ackOf(ONE, 'received'))
  hear(speaker, ackOf(ONE, 'played'))
  await settle()
  answers[0]?.reject(new Error('the disk is full'))
  await settle()
  expect(happened.sort()).toEqual([`d1 ${ONE} played refused`, `d1 ${ONE} received refused`])
})

it('stores each by itself when played comes later', async () => {
  const { hear, session, steps, stages } = world()
  const speaker = session('d1')
  hear(speaker, ackOf(ONE, 'received'))
  await settle()
  hear(speaker, ackOf(ONE, 'played'))
  await settle()
  expect(stages()).toEqual([
    ['d1', ONE, 'received'],
    ['d1', ONE, 'played'],
  ])
  expect(steps.some(({ isReceivedToo }) => isReceivedToo)).toBe(false)
})

it.each([
  { what: 'another announcement', next: { device: 'd1', ack: ackOf(OTHER, 'played') } },
  { what: 'another session', next: { device: 'd2', ack: ackOf(ONE, 'played') } },
  { what: 'another end', next: { device: 'd1', ack: ackOf(ONE, 'failed', 'no_clip') } },
])('takes no pair for one: $what', async ({ next }) => {
  const { hear, session, steps, stages } = world()
  hear(session('d1'), ackOf(ONE, 'received'))
  hear(session(next.device), next.ack)
  await settle()
  expect(stages()).toEqual([
    ['d1', ONE, 'received'],
    [next.device, next.ack.id, next.ack.st],
  ])
  expect(steps.some(({ isReceivedToo }) => isReceivedToo)).toBe(false)
})

it('keeps the order in which acks have come', async () => {
  const { hear, session, stages } = world()
  const speaker = session('d1')
  for (const [id, st] of [
    [ONE, 'received'],
    [OTHER, 'received'],
    [ONE, 'played'],
    [OTHER, 'played'],
  ] as const)
    hear(speaker, ackOf(id, st))
  await settle()
  expect(stages().map(([, id, stage]) => [id, stage])).toEqual([
    [ONE, 'received'],
    [OTHER, 'received'],
    [ONE, 'played'],
    [OTHER, 'played'],
  ])
})

it('puts what is shown on no record', async () => {
  const { hear, session, steps, happened } = world()
  hear(session('d1'), ackOf(ONE, 'shown'))
  await settle()
  expect(steps).toEqual([])
  expect(happened).toEqual([`d1 ${ONE} shown moves on`, `d1 ${ONE} shown confirmed`])
})
