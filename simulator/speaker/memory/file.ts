import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { errorCode, messageOf } from '../../platform/error-text.ts'
import { parseJson } from '../../platform/json.ts'
import { makeFolder } from '../../platform/make-folder.ts'
import { FACTORY_MEMORY, type Memory, MemoryError, type PromptMemoryStore } from './memory.ts'
import { memoryOf } from './record.ts'

/**
 * A speaker's memory in `<dir>/<serial>.json`. Each save writes and syncs a temporary file, renames it over
 * the old one and syncs the folder. After a kill at any moment the file is whole, either old or new (sb/1
 * 12.3).
 */
export function fileMemory(dir: string, serial: string): PromptMemoryStore {
  const path = join(dir, `${serial}.json`)
  return {
    load: () => read(path, serial),
    save: (memory) => explain(`can't write the speaker's memory ${path}`, () => write(path, serial, memory)),
  }
}

function read(path: string, serial: string): Memory {
  const text = explain(`can't read the speaker's memory ${path}`, () => readIfThere(path))
  if (text === undefined) return FACTORY_MEMORY
  const memory = memoryOf(parseJson(text), serial)
  if (memory === undefined)
    throw new MemoryError(
      `the speaker's memory ${path} is damaged or belongs to another speaker: move it away to start as new`,
    )
  return memory
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

function write(path: string, serial: string, memory: Memory): void {
  const dir = dirname(path)
  makeFolder(dir)
  const temporary = `${path}.tmp`
  const file = openSync(temporary, 'w', 0o600)
  try {
    writeFileSync(file, `${JSON.stringify({ serial, ...memory })}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(temporary, path)
  syncFolder(dir)
}

/** Makes the rename durable. Windows can't open a folder, and its file systems don't need this. */
function syncFolder(dir: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(dir, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

function explain<T>(what: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw new MemoryError(`${what}: ${messageOf(error)}`)
  }
}
