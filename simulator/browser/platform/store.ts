import { messageOf } from '../../platform/error-text.ts'
import { FACTORY_MEMORY, type Memory, MemoryError, type MemoryStore } from '../../speaker/memory/memory.ts'
import { memoryOf } from '../../speaker/memory/record.ts'
import { NO_HISTORY } from '../history/history.ts'
import type { HistoryStore } from '../history/keep.ts'
import { historyOf } from '../history/record.ts'
import type { Device } from '../provision/link.ts'

const DATABASE = 'soundbox-speaker'
/** Which speakers a page is, by the page's name. */
const PAGES = 'pages'
/** What each speaker keeps over a power cut, by its serial. It stays when the page becomes another speaker. */
const MEMORIES = 'memories'
/**
 * The payments of a speaker lie beside its memory. A store of their own would need a new version of the database, and a
 * hub that goes back to an older release could not open that.
 */
const historyKey = (serial: string) => [serial, 'payments']

/** `speaker` shows one speaker, `grid` many. */
export type PageName = 'speaker' | 'grid'

export interface Store {
  /** The speakers that the page was made to be; empty before. */
  devices(page: PageName): Promise<readonly Device[]>
  setDevices(page: PageName, devices: readonly Device[]): Promise<void>
  /** Reads a speaker's memory. Throws a `MemoryError` when the store can't be trusted. */
  memory(serial: string): Promise<MemoryStore>
  /** Reads the payments that a speaker has spoken. */
  history(serial: string): Promise<HistoryStore>
}

/** Opens the browser's storage. A `MemoryError` says why it can't be used. */
export async function openStore(): Promise<Store> {
  const database = await explain('the browser does not open its storage', openDatabase)
  const devicesOf = async (page: PageName): Promise<Device[]> => {
    const found = await read(database, PAGES, page)
    return Array.isArray(found) ? found : []
  }
  return {
    devices: (page) => explain('the browser does not read its storage', () => devicesOf(page)),
    setDevices: (page, devices) =>
      explain('the browser does not write its storage', async () => {
        const before = await devicesOf(page)
        await write(database, PAGES, page, devices)
        // The device may have another owner now, who must not see the payments of the former speaker.
        for (const { serial } of before)
          if (!devices.some((device) => device.serial === serial))
            await write(database, MEMORIES, historyKey(serial), NO_HISTORY)
      }),
    async memory(serial) {
      const record = await explain("the speaker's memory can't be read", () =>
        read(database, MEMORIES, serial),
      )
      let kept = record === undefined ? FACTORY_MEMORY : parsed(record, serial)
      return {
        load: () => kept,
        save: async (memory) => {
          await explain("the speaker's memory can't be written", () =>
            write(database, MEMORIES, serial, { serial, ...memory }),
          )
          kept = memory
        },
      }
    },
    async history(serial) {
      const key = historyKey(serial)
      const kept = historyOf(await read(database, MEMORIES, key).catch(() => undefined))
      return { load: () => kept, save: (history) => write(database, MEMORIES, key, history) }
    },
  }
}

function parsed(record: unknown, serial: string): Memory {
  const memory = memoryOf(record, serial)
  if (memory === undefined) throw new MemoryError(`the memory of ${serial} in this browser is damaged`)
  return memory
}

function openDatabase(): Promise<IDBDatabase> {
  const opening = indexedDB.open(DATABASE, 1)
  opening.onupgradeneeded = () => {
    opening.result.createObjectStore(PAGES)
    opening.result.createObjectStore(MEMORIES)
  }
  return result(opening)
}

function read(database: IDBDatabase, store: string, key: IDBValidKey): Promise<unknown> {
  return result<unknown>(database.transaction(store).objectStore(store).get(key))
}

/** Resolves when the write survives a power cut (sb/1 12.2): `strict` makes the browser flush it first. */
function write(database: IDBDatabase, store: string, key: IDBValidKey, value: unknown): Promise<void> {
  const transaction = database.transaction(store, 'readwrite', { durability: 'strict' })
  transaction.objectStore(store).put(value, key)
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve()
    transaction.onabort = () => reject(transaction.error ?? new Error('the write was aborted'))
  })
}

function result<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('the request failed'))
  })
}

async function explain<T>(what: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    throw error instanceof MemoryError ? error : new MemoryError(`${what}: ${messageOf(error)}`)
  }
}
