import { type Call, createCallReader } from './calls.ts'

/** Something that a disk without power may have or lack. `file` is a file, whatever its name. */
export type Change =
  | { kind: 'write'; file: number; offset: number; bytes: Buffer }
  | { kind: 'truncate'; file: number; length: number }
  /** New meanings of names, at once: undefined for a name that is gone. */
  | { kind: 'names'; names: [name: string, file: number | undefined][] }

/** What a hub did, in order. */
export type Act = { from: number; until: number } & (
  | Change
  /** Its changes that had returned before `from` are on the disk. Without `file`: those of names. */
  | { kind: 'flush'; file: number | undefined }
  /** It begins to send a 200 to the request with that id. */
  | { kind: 'answer'; id: string }
)

/** Names and contents of a folder. */
export type Files = ReadonlyMap<string, Buffer>

export interface Recording {
  /** The folder before the hub began, on the disk as it is. */
  before: Files
  acts: Act[]
}

const WRITES = ['write', 'writev', 'pwrite64', 'pwritev', 'sendto', 'sendmsg']
const FLUSHES = ['fsync', 'fdatasync']
const UNLINKS = ['unlink', 'unlinkat']
const ANSWER = /^HTTP\/1\.1 200 [\s\S]*?\r\nx-request-id: ([^\r]+)\r\n/i

/**
 * SQLite's index of the log is memory that processes share, not data: after a crash of the machine it is made anew from the log.
 */
export const isIndex = (name: string) => name.endsWith('-shm')

/** Turns the lines of strace into what they do to a folder, and into the answers that were sent. */
export function createRecorder(folder: string, before: Files) {
  const read = createCallReader()
  const acts: Act[] = []
  const names = new Map([...before.keys()].map((name, index) => [name, index]))
  const sizes = [...before.values()].map((bytes) => bytes.length)
  const open = new Map<number, { file: number; at: number; appends: boolean }>()
  const root = `${folder}/`

  const nameOf = (path: string) => (path.startsWith(root) ? path.slice(root.length) : undefined)

  function openat(call: Call) {
    const name = nameOf(String(call.strings[0]))
    if (call.result < 0 || name === undefined || isIndex(name)) return
    const { from, until, flags } = call
    let file = names.get(name)
    if (file === undefined) {
      file = sizes.push(0) - 1
      names.set(name, file)
      acts.push({ kind: 'names', names: [[name, file]], from, until })
    } else if (flags.includes('O_TRUNC')) {
      sizes[file] = 0
      acts.push({ kind: 'truncate', file, length: 0, from, until })
    }
    open.set(call.result, { file, at: 0, appends: flags.includes('O_APPEND') })
  }

  /** The open file of a call. Undefined for other things than the folder's files. */
  function fileOf({ fd, path }: Call) {
    const name = nameOf(path)
    if (fd === undefined || name === undefined || isIndex(name)) return undefined
    const found = open.get(fd)
    if (!found) throw new Error(`${path} is open, and the record has not seen who opened it`)
    return found
  }

  function write(call: Call) {
    const { name, from, until, result } = call
    const bytes = Buffer.concat(call.strings)
    const target = fileOf(call)
    if (!target) {
      const id = ANSWER.exec(bytes.toString('latin1'))?.[1]
      if (id !== undefined && result > 0) acts.push({ kind: 'answer', id, from, until })
      return
    }
    if (result <= 0) return
    const size = sizes[target.file] ?? 0
    if (target.appends) target.at = size
    const offset = name.startsWith('pwrite') ? call.last : target.at
    if (!name.startsWith('pwrite')) target.at += result
    sizes[target.file] = Math.max(size, offset + result)
    acts.push({ kind: 'write', file: target.file, offset, bytes: bytes.subarray(0, result), from, until })
  }

  function rename({ name, from, until, strings, result }: Call) {
    if (result !== 0) return
    const [source, target] = strings.map((path) => nameOf(String(path)))
    const file = source === undefined ? undefined : names.get(source)
    const changed: [string, number | undefined][] = []
    if (target !== undefined) changed.push([target, file])
    if (source !== undefined && !name.startsWith('link')) changed.push([source, undefined])
    for (const [one, meaning] of changed) {
      if (meaning === undefined) names.delete(one)
      else names.set(one, meaning)
    }
    const kept = changed.filter(([one]) => !isIndex(one))
    if (kept.length > 0) acts.push({ kind: 'names', names: kept, from, until })
  }

  function take(call: Call) {
    const { name, from, until, result } = call
    if (name === 'openat') openat(call)
    else if (WRITES.includes(name)) write(call)
    else if (FLUSHES.includes(name) && result === 0) {
      if (call.path === folder) acts.push({ kind: 'flush', file: undefined, from, until })
      const target = fileOf(call)
      if (target) acts.push({ kind: 'flush', file: target.file, from, until })
    } else if (name === 'ftruncate' && result === 0) {
      const target = fileOf(call)
      if (!target) return
      sizes[target.file] = call.last
      acts.push({ kind: 'truncate', file: target.file, length: call.last, from, until })
    } else if (UNLINKS.includes(name)) rename({ ...call, name: 'unlink' })
    else if (name.startsWith('rename') || name.startsWith('link')) rename(call)
  }

  return {
    line(text: string) {
      const call = read(text)
      if (call) take(call)
    },
    /** A flush counts when it has returned. All else may count as soon as it has begun. */
    recording(): Recording {
      const place = (act: Act) => (act.kind === 'flush' ? act.until : act.from)
      return { before, acts: acts.toSorted((a, b) => place(a) - place(b)) }
    },
  }
}
