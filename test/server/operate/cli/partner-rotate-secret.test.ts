import { expect, it } from 'vitest'
import { partnerRotateSecret } from '../../../../server/operate/cli/partner.ts'
import { createRandomIds } from '../../../../server/platform/ids.ts'
import { createTestApi } from '../../../support/api.ts'

const DAY_MS = 24 * 60 * 60 * 1000

it('says when a rotation has ended a secret that was still being phased out', async () => {
  const api = createTestApi()
  const { clientId } = await api.partner()
  const workspace = { storage: api.storage, clock: api.clock, ids: createRandomIds() }
  const rotate = () => partnerRotateSecret(workspace, clientId)

  expect(await rotate()).toMatchObject({ done: true, json: { olderSecretEnded: false } })
  const second = await rotate()
  expect(second.json).toMatchObject({ olderSecretEnded: true })
  expect(second.text).toContain('has expired now')

  await api.clock.wind(DAY_MS)
  const later = await rotate()
  expect(later.json).toMatchObject({ olderSecretEnded: false })
  expect(later.text).not.toContain('has expired now')
})
