import { expect, it } from 'vitest'
import { partnerRotateSecret } from '../../../../server/operate/cli/partner.ts'
import { createRandomIds } from '../../../../server/platform/ids.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { createTestApi } from '../../../support/api.ts'

const DAY_MS = 24 * 60 * 60 * 1000

it('reports when a rotation has ended an older secret that was still live', async () => {
  const api = createTestApi()
  const { clientId } = await api.partner()
  const workspace = { by: OPERATOR, storage: api.storage, clock: api.clock, ids: createRandomIds() }
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
