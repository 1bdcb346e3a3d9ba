import { expect, it } from 'vitest'
import {
  advance,
  BEGINNING,
  billNumberOf,
  type DemoEvent,
  lineFor,
} from '../../../../simulator/run/demo/progress.ts'

it('keeps the store of the registration, and numbers the bills', () => {
  const events: DemoEvent[] = [
    { kind: 'registered', storeId: 'store-1', shop: 'Phở' },
    { kind: 'billed' },
    { kind: 'ended', outcome: 'played' },
    { kind: 'billed' },
  ]
  const progress = events.reduce(advance, BEGINNING)
  expect(progress).toEqual({ storeId: 'store-1', bills: 2 })
  expect(lineFor({ kind: 'qr_shown', amount: '50000' }, progress)).toMatch(
    /^A dynamic QR for BILL-2, 50\.000 đ/,
  )
  expect(billNumberOf(progress)).toBe('BILL-2')
})

it.each<[DemoEvent, string | undefined]>([
  [{ kind: 'billed' }, undefined],
  [{ kind: 'ended', outcome: 'played' }, undefined],
  [{ kind: 'ended', outcome: 'missed' }, 'It was too late to be spoken: the speaker shows it as missed.'],
  [{ kind: 'ended', outcome: 'expired' }, 'It was too late to be spoken: the speaker shows it as missed.'],
  [
    { kind: 'ended', outcome: 'audio_failed' },
    "The speaker can't speak (audio_failed): the speaker shows it as missed.",
  ],
])('tells of %j: %s', (event, line) => {
  expect(lineFor(event, BEGINNING)).toBe(line)
})
