import { expect, it } from 'vitest'
import { createSendings, type SendingRow } from '../../../../server/storage/shared/webhooks/mapping.ts'

const rowOf = (revision: number, feed: { number: number; upTo: number | null }): SendingRow => ({
  ...{ id: 'wh_1', clientId: 'sbc_1', types: null, description: '', state: 'enabled', disabledReason: null },
  ...{
    createdAt: 1,
    failingSince: null,
    lastDeliveredAt: null,
    revision,
    previousUntil: 99,
    after: 7,
    ...feed,
  },
  ...{ url: Buffer.from('https://a.example/'), secrets: Buffer.from('new old') },
})

it('joins the feeds of a webhook by their numbers, and opens what is sealed once for each revision', () => {
  let opened = 0
  const toSendings = createSendings({
    open({ url, secrets }) {
      opened += 1
      return { url: url.toString(), secrets: secrets.toString().split(' ') }
    },
  })
  const rows = (revision: number) => [
    rowOf(revision, { number: 2, upTo: 9 }),
    rowOf(revision, { number: 0, upTo: null }),
  ]
  const sending = {
    ...{ url: 'https://a.example/', secret: 'new', previous: { secret: 'old', until: 99 } },
    feeds: [
      { number: 0, after: 7, upTo: undefined },
      { number: 2, after: 7, upTo: 9 },
    ],
  }
  for (const _ of [1, 2]) expect(toSendings(rows(0))).toMatchObject([{ ...sending, revision: 0 }])
  expect(opened).toBe(1)
  expect(toSendings(rows(1))).toMatchObject([{ ...sending, revision: 1 }])
  expect(opened).toBe(2)
  // One that was disabled meanwhile is forgotten.
  expect(toSendings([])).toEqual([])
  toSendings(rows(1))
  expect(opened).toBe(3)
})
