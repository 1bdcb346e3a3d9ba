import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseScreen } from '../../../server/announcements/screen.ts'

const NOW = 1_000
const bill = (id: string, change: object = {}) => ({
  ...{ id, paid: false, shownUntil: NOW + 1, updatedAt: 0 },
  ...change,
})
const STORES = [
  { id: 'a', linkedAt: 1 },
  { id: 'b', linkedAt: 2 },
]

describe('the screen of a device', () => {
  it.each([
    ['shows nothing of a device without a store', true, [], [bill('1')], undefined, undefined, false],
    ['shows the store that was linked last', true, STORES, [], 'b', undefined, false],
    [
      'shows the store with the higher id of two that were linked at once',
      ...[true, [...STORES, { id: 'c', linkedAt: 2 }], [], 'c', undefined, false],
    ],
    [
      'shows the bill that was changed last',
      ...[true, STORES, [bill('1', { updatedAt: 5 }), bill('2', { updatedAt: 4 })], 'b', '1', false],
    ],
    [
      'shows the bill with the higher id of two that were changed at once',
      ...[true, STORES, [bill('1'), bill('2')], 'b', '2', false],
    ],
    [
      'shows an older bill while the newest is paid',
      ...[true, STORES, [bill('1'), bill('2', { paid: true, updatedAt: 9 })], 'b', '1', false],
    ],
    ['shows no bill after its time', true, STORES, [bill('1', { shownUntil: NOW })], 'b', undefined, false],
    ['tells of a bill that was paid', true, STORES, [bill('1', { paid: true })], 'b', undefined, true],
    ['shows no bill on a locked device, and tells of it', false, STORES, [bill('1')], 'b', undefined, true],
  ] as [string, boolean, typeof STORES, ReturnType<typeof bill>[], string?, string?, boolean?][])(
    '%s',
    (_what, isActive, stores, bills, storeId, billId, hasEndedBill) => {
      const choice = chooseScreen(isActive, stores, bills, NOW)
      expect([choice.store?.id, choice.bill?.id, choice.hasEndedBill]).toEqual([
        storeId,
        billId,
        hasEndedBill,
      ])
    },
  )

  it('does not depend on the order in which the storage reads', () => {
    const bills = fc.uniqueArray(
      fc.record({
        id: fc.string(),
        paid: fc.boolean(),
        shownUntil: fc.integer({ min: NOW - 1, max: NOW + 1 }),
        updatedAt: fc.integer({ min: 0, max: 3 }),
      }),
      { selector: ({ id }) => id },
    )
    fc.assert(
      fc.property(bills, fc.boolean(), (all, isActive) => {
        const [one, other] = [all, all.toReversed()].map((some) => chooseScreen(isActive, STORES, some, NOW))
        expect(one).toEqual(other)
      }),
    )
  })
})
