import fc from 'fast-check'
import { expect, it } from 'vitest'
import { FINAL_STAGE } from '../../../protocol/messages/command.ts'
import { type Stage as AnnouncementStage, STAGES } from '../../../server/announcements/stages.ts'
import { settle } from '../../support/clock.ts'
import { type Line, openStage, type Stage } from './stage.ts'

const isFinal = (stage: AnnouncementStage) => !['queued', 'sent', 'received'].includes(stage)

const RUNS = 15

const event = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('pay' as const), amount: fc.integer({ min: 1, max: 10 ** 9 }) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('ack' as const),
      which: fc.nat(),
      stage: fc.constantFrom('received' as const, 'final' as const, 'failed' as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('wind' as const), ms: fc.integer({ min: 1, max: 70_000 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('connect' as const),
      bufferBytes: fc.constantFrom(300, 512, 1_024),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'rebirth' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'leave' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'bill' as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('active' as const), active: fc.boolean() }) },
)
type Event = typeof event extends fc.Arbitrary<infer E> ? E : never

interface Play {
  stage: Stage
  lines: { line: Line; bufferBytes: number }[]
  paid: string[]
}

/** Applies one event of a caller or of the device. */
async function happen({ stage, lines, paid }: Play, event: Event) {
  const current = lines.at(-1)
  switch (event.kind) {
    case 'pay':
      paid.push(await stage.pay(String(event.amount), { billNumber: 'B'.repeat(event.amount % 64) }))
      return
    case 'ack': {
      // A device without a connection sends nothing.
      if (!current?.line.session.isBorn()) return
      const commands = current.line.heard()
      // Acks one of the newest commands: older acks change nothing.
      const command = commands.at(-1 - (event.which % Math.min(3, commands.length)))?.command
      if (!command) return
      const st = event.stage === 'final' ? FINAL_STAGE[command.t] : event.stage
      return current.line.ack(command, st, event.stage === 'failed' ? 'busy' : undefined)
    }
    case 'wind':
      return stage.clock.wind(event.ms)
    case 'connect': {
      const line = stage.connect()
      lines.push({ line, bufferBytes: event.bufferBytes })
      return line.born({ bufferBytes: event.bufferBytes })
    }
    case 'rebirth':
      return current?.line.born({ bufferBytes: current.bufferBytes })
    case 'leave':
      if (current) stage.delivery.leave(current.line.session)
      return
    case 'bill':
      await stage.putBill()
      return
    case 'active': {
      const { speaker, delivery } = stage
      await stage.lock(event.active)
      if (!event.active) delivery.silence(speaker.deviceId)
      delivery.refresh(speaker.deviceId)
      return settle()
    }
  }
}

type Trail = Awaited<ReturnType<Stage['trail']>>

/** Stages move only forward, nothing follows a final stage, and stored times never change. */
function expectForward(before: Trail | undefined, after: Trail) {
  if (!before) return
  if (isFinal(before.stage)) expect(after).toEqual(before)
  expect(STAGES.indexOf(after.stage)).toBeGreaterThanOrEqual(STAGES.indexOf(before.stage))
  expect(after.times).toMatchObject(before.times)
  expect(after.n).toBe(before.n)
}

/** Properties of all frames that were sent. */
function expectSound({ lines }: Play) {
  const idOf = new Map<number, string>()
  const numberOf = new Map<string, number>()
  for (const { line, bufferBytes } of lines) {
    const heard = line.heard()
    if (heard[0]) expect(heard[0].command.t).toBe('welcome')
    for (const { command, bytes, at } of heard) {
      expect(bytes).toBeLessThanOrEqual(bufferBytes)
      expect(command.ttl).toBeGreaterThan(0)
      expect(command.at).toBe(Math.floor(at / 1000))
      expect(numberOf.get(command.id) ?? command.n).toBe(command.n)
      expect(idOf.get(command.n) ?? command.id).toBe(command.id)
      numberOf.set(command.id, command.n)
      idOf.set(command.n, command.id)
    }
  }
}

it('in any order of events: one number per command, stages only move forward, frames fit', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 5, maxLength: 30 }), async (events) => {
      const play: Play = { stage: await openStage(), lines: [], paid: [] }
      const before = new Map<string, Trail>()
      for (const one of events) {
        await happen(play, one)
        for (const ftCode of play.paid) {
          const trail = await play.stage.trail(ftCode)
          expectForward(before.get(ftCode), trail)
          before.set(ftCode, trail)
        }
      }
      expectSound(play)
      await play.stage.clock.wind(240_000)
      for (const ftCode of play.paid) expect(isFinal((await play.stage.trail(ftCode)).stage)).toBe(true)
    }),
    { numRuns: RUNS },
  )
})
