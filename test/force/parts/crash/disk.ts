import type { Act, Change, Files } from './record.ts'

/** A disk writes a sector whole or not at all. */
const SECTOR_BYTES = 512
/** Of the crashes: nothing that was not flushed is there; all of it is there. In the others each change has its own fate. */
const NOTHING = 0.2
const ALL = 0.1

type Pending = Change & { until: number }

/**
 * A disk that has power until a crash. What was flushed is there. Of the later changes each may be there or not, or
 * in part, and in another order. Bytes of a sector that no lost write has named stay as they are.
 */
export interface Disk {
  act(act: Act): void
  /** The files that a crash leaves at this moment. */
  crash(random: () => number): Files
  /** The files as the hub sees them. */
  whole(): Files
}

export function createDisk(before: Files): Disk {
  const names = new Map([...before.keys()].map((name, index) => [name, index]))
  const contents = new Map([...before.values()].map((bytes, index) => [index, createContent(bytes)]))
  let pending: Pending[] = []

  function keep(change: Change, to: Map<string, number>, content: (file: number) => Content) {
    if (change.kind === 'write') content(change.file).write(change.offset, change.bytes)
    else if (change.kind === 'truncate') content(change.file).truncate(change.length)
    else
      for (const [name, file] of change.names) {
        if (file === undefined) to.delete(name)
        else to.set(name, file)
      }
  }

  function contentOf(file: number): Content {
    const known = contents.get(file) ?? createContent(Buffer.alloc(0))
    contents.set(file, known)
    return known
  }

  function flush(file: number | undefined, from: number) {
    const isFlushed = (one: Pending) => one.until <= from && fileOf(one) === file
    for (const change of pending.filter(isFlushed)) keep(change, names, contentOf)
    pending = pending.filter((one) => !isFlushed(one))
  }

  function leave(changes: readonly Change[]): Files {
    const left = new Map(names)
    const copies = new Map<number, Content>()
    const copyOf = (file: number) => {
      const copy = copies.get(file) ?? createContent(contentOf(file).bytes())
      copies.set(file, copy)
      return copy
    }
    for (const change of changes) keep(change, left, copyOf)
    return new Map([...left].map(([name, file]) => [name, (copies.get(file) ?? contentOf(file)).bytes()]))
  }

  return {
    act(act) {
      if (act.kind === 'flush') flush(act.file, act.from)
      else if (act.kind !== 'answer') pending.push(act)
    },
    whole: () => leave(pending),
    crash(random) {
      const files = [...new Set(pending.map(fileOf))]
      return leave(
        files.flatMap((file) =>
          survivors(
            pending.filter((one) => fileOf(one) === file),
            random,
          ),
        ),
      )
    },
  }
}

/** The file of a change. Undefined for a change of names. */
function fileOf(change: Change): number | undefined {
  return change.kind === 'names' ? undefined : change.file
}

/** What a crash leaves of the changes of one file, or of names, in the order in which they reach the disk. */
function survivors(changes: readonly Change[], random: () => number): Change[] {
  const fate = random()
  if (fate < NOTHING) return []
  if (fate < NOTHING + ALL) return [...changes]
  const share = random()
  const isTorn = random() < 0.5
  const kept = changes
    .filter(() => random() < share)
    .flatMap((change) => (isTorn && change.kind === 'write' ? tear(change, random) : [change]))
  return random() < 0.5 ? kept : shuffleWrites(kept, random)
}

/** The sectors of a write that reach the disk: its first ones, or any. */
function tear(write: Change & { kind: 'write' }, random: () => number): Change[] {
  const { offset, bytes } = write
  const end = offset + bytes.length
  const pieces: Change[] = []
  for (let at = offset; at < end; ) {
    const next = Math.min(end, (Math.floor(at / SECTOR_BYTES) + 1) * SECTOR_BYTES)
    pieces.push({ ...write, offset: at, bytes: bytes.subarray(at - offset, next - offset) })
    at = next
  }
  if (random() < 0.5) return pieces.slice(0, Math.floor(random() * (pieces.length + 1)))
  return pieces.filter(() => random() < 0.5)
}

/** Writes in another order. None passes a truncation: what lay behind the end does not come back. */
function shuffleWrites(changes: readonly Change[], random: () => number): Change[] {
  const shuffled = [...changes]
  for (let index = shuffled.length - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1))
    const [a, b] = [shuffled[index], shuffled[other]]
    if (!a || !b || shuffled.slice(other, index + 1).some(({ kind }) => kind !== 'write')) continue
    shuffled[index] = b
    shuffled[other] = a
  }
  return shuffled
}

interface Content {
  write(offset: number, bytes: Buffer): void
  truncate(length: number): void
  bytes(): Buffer
}

/** The bytes of a file. A gap reads as zeros. */
function createContent(start: Buffer): Content {
  let room = Buffer.from(start)
  let length = start.length
  function grow(to: number) {
    if (to > room.length) {
      const larger = Buffer.alloc(Math.max(to, 2 * room.length))
      room.copy(larger, 0, 0, length)
      room = larger
    }
    if (to > length) room.fill(0, length, to)
    length = Math.max(length, to)
  }
  return {
    write(offset, bytes) {
      grow(offset + bytes.length)
      bytes.copy(room, offset)
    },
    truncate(to) {
      grow(to)
      length = to
    },
    bytes: () => room.subarray(0, length),
  }
}
