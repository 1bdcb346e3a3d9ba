import { expect, it } from 'vitest'
import { createSendings, type SendingRow } from '../../../../server/storage/shared/webhooks/mapping.ts'

const rowOf = (revision: number, previousUntil: number | null): SendingRow => ({
  ...{ id: 'wh_1', clientId: 'sbc_1', types: null, description: '', state: 'enabled', disabledReason: null },
  ...{ createdAt: 1, failingSince: null, lastDeliveredAt: null, revision, previousUntil },
})
const sealedOf = (revision: number) => ({
  ...{ id: 'wh_1', revision, url: Buffer.from('https://a.example/'), secrets: Buffer.from('new old') },
})

it('leaves out a webhook whose secret was rotated between the reads of its columns, until the next read', () => {
  const sendings = createSendings({
    openUrl: ({ url }) => url.toString(),
    openSecrets: ({ secrets }) => secrets.toString().split(' '),
  })
  const before = [rowOf(0, null)]
  expect(sendings.unknown(before)).toEqual(['wh_1'])
  // It would be signed with the new secret alone.
  expect(sendings.toSendings(before, [sealedOf(1)], [])).toEqual([])

  const after = [rowOf(1, 99)]
  expect(sendings.unknown(after)).toEqual(['wh_1'])
  const sending = { secret: 'new', previous: { secret: 'old', until: 99 }, revision: 1 }
  expect(sendings.toSendings(after, [sealedOf(1)], [])).toMatchObject([sending])
  expect(sendings.unknown(after)).toEqual([])
  expect(sendings.toSendings(after, [], [])).toMatchObject([sending])
})
