import { expect, it } from 'vitest'
import { freeBytes } from '../../../server/platform/disk.ts'
import { temporaryFolder } from '../../support/folder.ts'

it('tells how much may still be written to the disk of a folder', async () => {
  expect(await freeBytes(temporaryFolder())).toBeGreaterThan(0)
  await expect(freeBytes('/nowhere/at/all')).rejects.toThrow(/ENOENT/)
})
