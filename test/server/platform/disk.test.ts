import { expect, it } from 'vitest'
import { freeBytes } from '../../../server/platform/disk.ts'
import { temporaryFolder } from '../../support/folder.ts'

it('returns the free bytes of the disk that holds a folder', async () => {
  expect(await freeBytes(temporaryFolder())).toBeGreaterThan(0)
  await expect(freeBytes('/nowhere/at/all')).rejects.toThrow(/ENOENT/)
})
