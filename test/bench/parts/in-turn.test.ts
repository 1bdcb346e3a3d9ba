import { expect, it } from 'vitest'
import { besideEcho, inTurn, medians, type Pair } from './in-turn.ts'

it('measures both in turn in every round', async () => {
  const asked: string[] = []
  const ask = (name: string) => async () => asked.push(name)
  expect(await inTurn(2, ask('ours'), ask('floor'))).toEqual([
    [1, 2],
    [3, 4],
  ])
  expect(asked).toEqual(['ours', 'floor', 'ours', 'floor'])
})

it('reports both medians, and the median of the ratios within a round', () => {
  // The machine is slow in the second round, and slow for one of the two in the third.
  const pairs: Pair[] = [
    [80, 100],
    [8, 10],
    [10, 100],
  ]
  const word = (value: number) => `${value}`
  expect(medians(pairs, word)).toEqual({ value: '10', peerValue: '100', ratio: '0.80' })
  expect(medians(pairs, word, ([ours, floor]) => floor / ours).ratio).toBe('1.25')
})

it('shows no CPU if the system does not report it', async () => {
  const load = (cpuPerRequest: number | undefined) => async () => ({ perSecond: 100, cpuPerRequest })
  const names = { what: 'callbacks', cpu: 'CPU', goal: 'at least 0.40' }
  const figures = await besideEcho(names, load(150), load(30))
  expect(figures.map(({ what, ratio }) => [what, ratio])).toEqual([
    ['callbacks', '1.00'],
    ['CPU', '5.00'],
  ])
  expect(await besideEcho(names, load(150), load(undefined))).toHaveLength(1)
})
