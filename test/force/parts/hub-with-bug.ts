import { copyFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { type OpenStorage, openHere } from '../../../server/storage/sqlite/file/open-folder.ts'
import type { FileStorage } from '../../../server/storage/sqlite/storage.ts'
import { serve } from './serve.ts'

/* The hub with a bug, which its argument names. Its storage is in the thread of the hub, where a bug can reach it. */

/** It answers before the payment is in its file. */
const earlyAnswers: OpenStorage = async (file, ...more): Promise<FileStorage> => {
  const copy = `${file}.copy`
  copyFileSync(file, copy)
  const [storage, early] = [await openHere(file, ...more), await openHere(copy, ...more)]
  return { ...storage, payments: early.payments }
}

/** It has forgotten what was played when it starts, and numbers it anew. */
const forgetsPlayed: OpenStorage = (file, ...more) => {
  change(file, "UPDATE announcements SET stage = 'queued', played_at = NULL WHERE stage = 'played'")
  return openHere(file, ...more)
}

const COUNT_AGAIN = `
  INSERT INTO store_totals_recent SELECT number, 1, 0 FROM stores WHERE terminal_id = ?
  ON CONFLICT (store_number) DO UPDATE SET total_transaction = total_transaction + 1`
/** It counts a payment again when it is reported again. */
const countsRepeats: OpenStorage = async (file, ...more): Promise<FileStorage> => {
  const storage = await openHere(file, ...more)
  const { record } = storage.payments
  const payments: FileStorage['payments'] = {
    ...storage.payments,
    async record(payment, free) {
      const result = await record(payment, free)
      if (result.kind === 'replayed') change(file, COUNT_AGAIN, payment.terminalID)
      return result
    },
  }
  return { ...storage, payments }
}

function change(file: string, sql: string, ...values: string[]) {
  const database = new Database(file)
  database.prepare(sql).run(...values)
  database.close()
}

const BUGS: Readonly<Record<string, OpenStorage>> = { earlyAnswers, forgetsPlayed, countsRepeats }

await serve({ openStorage: BUGS[process.argv[2] ?? ''] ?? openHere })
