import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { listenSecret, secretFolder } from '../../../../server/operate/cli/listen-secret.ts'
import { createRandomIds } from '../../../../server/platform/ids.ts'
import { temporaryFolder } from '../../../support/folder.ts'

const ids = createRandomIds()

function secretsIn(folder: string) {
  const complaints: string[] = []
  const complain = (sentence: string) => void complaints.push(sentence)
  const secretOf = (clientId: string, isNew = false) =>
    listenSecret({ folder, clientId, isNew, make: () => ids.webhookSecret(), complain })
  return { secretOf, complaints }
}

it('is the same at each start, another for another client, and new when asked for', () => {
  const folder = join(temporaryFolder(), 'state')
  const { secretOf, complaints } = secretsIn(folder)
  const first = secretOf('sbc_1')
  expect(first).toMatch(/^whsec_/)
  expect(secretOf('sbc_1')).toBe(first)
  expect(secretOf('../sbc_2')).not.toBe(first)
  const second = secretOf('sbc_1', true)
  expect(second).not.toBe(first)
  expect(secretOf('sbc_1')).toBe(second)
  expect(complaints).toEqual([])
  expect(readdirSync(folder).sort()).toEqual(['..%2Fsbc_2.whsec', 'sbc_1.whsec'])
  expect(statSync(join(folder, 'sbc_1.whsec')).mode & 0o777).toBe(0o600)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
})

it('is told to be good for one start where it cannot be kept', () => {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, '')
  chmodSync(file, 0o400)
  const { secretOf, complaints } = secretsIn(join(file, 'state'))
  expect(secretOf('sbc_1')).toMatch(/^whsec_/)
  expect(complaints).toEqual([expect.stringMatching(/^The secret can't be kept .*another one\.$/)])
})

it('is kept in the state folder of the user', () => {
  expect(secretFolder({ XDG_STATE_HOME: '/state' })).toBe('/state/soundbox-hub/listen')
  expect(secretFolder({})).toMatch(/\.local\/state\/soundbox-hub\/listen$/)
})
