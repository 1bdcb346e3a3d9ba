import { expect, it } from 'vitest'
import { liveSecrets } from '../../../../server/partners/secrets.ts'
import { createVault } from '../../../../server/security/vault.ts'
import { createPartnerRecords } from '../../../../server/storage/acts/partner-records.ts'
import { createActEngine } from '../../../../server/storage/postgres/engine/act-engine.ts'
import type { PostgresDatabase } from '../../../../server/storage/postgres/engine/database.ts'
import { createReadCache } from '../../../../server/storage/shared/read-cache.ts'
import { sealedFields } from '../../../../server/storage/shared/sealed-columns.ts'
import { TEST_MASTER_KEY } from '../../../support/storage.ts'

it('finds the secret of a partner that was asked for before it was created', async () => {
  const vault = createVault(TEST_MASTER_KEY)
  const rows: { id: string; sealed: Buffer; createdAt: number; expiresAt: null }[] = []
  const cachedByGrants = createReadCache(async () => 1)
  const database = { vault, read: async () => rows, cachedByGrants, audit: {} }
  const rules = { liveSecrets, endingSecrets: () => [] }
  const partners = createPartnerRecords(
    createActEngine(database as unknown as PostgresDatabase),
    rules,
    () => 'id',
  )
  expect(await partners.liveSecrets('new', 1)).toEqual([])
  const sealed = sealedFields(vault, 'partnerSecrets').seal('id', 'sealed', 'a secret')
  rows.push({ id: 'id', sealed, createdAt: 1, expiresAt: null })
  expect(await partners.liveSecrets('new', 1)).toEqual([{ secret: 'a secret', expiresAt: undefined }])
})
