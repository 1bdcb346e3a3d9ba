import { expect, it } from 'vitest'
import { MOST_BYTES } from '../../../../server/reconciliation/model/statement.ts'
import { fileOf, statementConsole } from '../../../server/console/statement-console.ts'

it('an import takes no more than 20 MB', async () => {
  const { importFile } = await statementConsole()
  expect((await importFile(fileOf(new Uint8Array(MOST_BYTES)))).status).toBe(400)
  expect((await importFile(fileOf(new Uint8Array(MOST_BYTES + 65 * 1024)))).status).toBe(413)
})
