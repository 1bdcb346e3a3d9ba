import { describe, expect, it } from 'vitest'
import { quietStage, type Stage } from './stage.ts'

const wrongNumbers = ({ warnings }: Stage) =>
  warnings.filter((line) => line.includes("another command's number")).length

describe("sb/1 7.4: an ack under another command's number", () => {
  it.each(['received', 'played', 'failed'] as const)('moves no announcement to %s', async (reached) => {
    const { stage, line } = await quietStage()
    const ftCode = await stage.pay()
    const command = line.last()
    await line.ack({ ...command, n: command.n - 1 }, reached)
    expect(await stage.trail(ftCode)).toMatchObject({ stage: 'sent' })
    expect(wrongNumbers(stage)).toBe(1)
    await stage.clock.wind(3_000)
    expect(line.ofType('announce')).toHaveLength(2)
    await line.ack(command, 'played')
    expect(await stage.trail(ftCode)).toMatchObject({ stage: 'played' })
    expect(wrongNumbers(stage)).toBe(1)
  })

  it('does not end a screen command', async () => {
    const { stage, line } = await quietStage()
    await stage.putBill()
    const bill = line.last()
    await line.ack({ ...bill, n: bill.n + 1 }, 'shown')
    await stage.clock.wind(3_000)
    expect(line.ofType('qr')).toHaveLength(2)
    expect(wrongNumbers(stage)).toBe(1)
  })

  it('is ignored for an announcement that is not sent in this session', async () => {
    const { stage, line } = await quietStage()
    const ftCode = await stage.pay()
    const announce = line.last()
    const back = stage.connect()
    await back.born()
    await back.ack({ ...announce, n: announce.n + 1 }, 'failed', 'audio_failed')
    expect(await stage.trail(ftCode)).toMatchObject({ stage: 'sent' })
    expect(back.types()).toEqual(['welcome'])
    expect(wrongNumbers(stage)).toBe(1)
  })
})

it('a repeated ack is not taken for an ack with another number', async () => {
  const { stage, line } = await quietStage()
  await stage.pay()
  const announce = line.last()
  for (const reached of ['received', 'received', 'played', 'played'] as const)
    await line.ack(announce, reached)
  expect(stage.warnings).toEqual([])
})
