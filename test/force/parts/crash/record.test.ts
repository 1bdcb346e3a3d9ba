import { expect, it } from 'vitest'
import { createRecorder } from './record.ts'

const hex = (text: string) =>
  [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
const path = (name: string) => hex(`/data/${name}`)
const HERE = `AT_FDCWD<${hex('/')}>`

function record(...lines: string[]) {
  const recorder = createRecorder('/data', new Map([['hub.db', Buffer.alloc(4)]]))
  for (const line of lines) recorder.line(line)
  return recorder.recording().acts.map(({ from, until, ...act }) => act)
}

const OPEN = `7 openat(${HERE}, "${path('hub.db')}", O_RDWR|O_CREAT, 0600) = 20<${path('hub.db')}>`
const DB = `20<${path('hub.db')}>`
const written = (offset: number, text: string) => ({
  kind: 'write',
  file: 0,
  offset,
  bytes: Buffer.from(text),
})

it('a record has the writes of the folder with their bytes and places', () => {
  const acts = record(
    OPEN,
    `7 pwrite64(${DB}, "${hex('ab')}", 2, 4096) = 2`,
    `7 pwrite64(${DB}, "${hex('cdef')}", 4, 0) = 3`,
    `7 pwrite64(${DB}, "${hex('no')}", 2, 0) = -1 ENOSPC (No space left on device)`,
    `7 write(1</dev/null>, "${hex('elsewhere')}", 9) = 9`,
    `7 ftruncate(${DB}, 12) = 0`,
    `7 fdatasync(${DB}) = 0`,
  )
  expect(acts).toEqual([
    written(4096, 'ab'),
    written(0, 'cde'),
    { kind: 'truncate', file: 0, length: 12 },
    { kind: 'flush', file: 0 },
  ])
})

it('plain writes follow each other, also at the end of a file', () => {
  const writes = [`7 write(${DB}, "${hex('ab')}", 2) = 2`, `7 write(${DB}, "${hex('c')}", 1) = 1`]
  expect(record(OPEN, ...writes)).toEqual([written(0, 'ab'), written(2, 'c')])
  const appending = OPEN.replace('O_CREAT', 'O_CREAT|O_APPEND')
  expect(record(appending, ...writes)).toEqual([written(4, 'ab'), written(6, 'c')])
  const vector = `7 writev(${DB}, [{iov_base="${hex('ab')}", iov_len=2}, {iov_base="${hex('c')}", iov_len=1}], 2) = 3`
  expect(record(OPEN, vector)).toEqual([written(0, 'abc')])
})

it('a flush counts when it returns, and an answer when it begins', () => {
  const answer = hex('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nx-request-id: FT7\r\n\r\n{}')
  const acts = record(
    OPEN,
    `8 fsync(${DB} <unfinished ...>`,
    `7 write(30<socket:[1]>, "${answer}", 70 <unfinished ...>`,
    '8 <... fsync resumed>)                   = 0',
    '7 <... write resumed>)                   = 70',
  )
  expect(acts).toEqual([
    { kind: 'answer', id: 'FT7' },
    { kind: 'flush', file: 0 },
  ])
})

it('a record has what becomes of names, and no index of the log', () => {
  const acts = record(
    `7 openat(${HERE}, "${path('hub.db-wal')}", O_RDWR|O_CREAT, 0600) = 21<${path('hub.db-wal')}>`,
    `7 openat(${HERE}, "${path('hub.db-shm')}", O_RDWR|O_CREAT, 0600) = 22<${path('hub.db-shm')}>`,
    `7 pwrite64(22<${path('hub.db-shm')}>, "${hex('x')}", 1, 0) = 1`,
    `7 openat(${HERE}, "${hex('/data')}", O_RDONLY) = 23<${hex('/data')}>`,
    `7 fsync(23<${hex('/data')}>) = 0`,
    `7 rename("${path('hub.db-wal')}", "${path('hub.db')}") = 0`,
    `7 unlink("${path('hub.db')}") = 0`,
  )
  expect(acts).toEqual([
    { kind: 'names', names: [['hub.db-wal', 1]] },
    { kind: 'flush', file: undefined },
    {
      kind: 'names',
      names: [
        ['hub.db', 1],
        ['hub.db-wal', undefined],
      ],
    },
    { kind: 'names', names: [['hub.db', undefined]] },
  ])
})

it('a record that was cut is refused', () => {
  expect(() => record(OPEN, `7 pwrite64(${DB}, "${hex('ab')}"..., 4096, 0) = 4096`)).toThrow(
    'a part of a pwrite64',
  )
})
