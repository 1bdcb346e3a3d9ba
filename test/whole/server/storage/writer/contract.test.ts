import { storageContract } from '../../../../server/storage/storage-contract.ts'
import { sqliteTables } from '../../../../server/storage/tables.ts'
import { newFile, open } from '../../../../server/storage/writer/writer-here.ts'
import { createVirtualClock } from '../../../../support/clock.ts'

/** The quick tests run the contract on SQLite without its writer's thread, and what the thread adds. */
storageContract('SQLite with a writer thread', async (rules) => {
  const file = newFile()
  const clock = createVirtualClock()
  const openOther = () => open(file, { clock, rules: rules ?? {} })
  const passTime = () => clock.wind(1_000)
  const tables = () => sqliteTables(file)
  return { storage: await openOther(), reopen: openOther, openOther, passTime, tables }
})
