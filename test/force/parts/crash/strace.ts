import { spawnSync } from 'node:child_process'
import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { until } from '../../../support/wait.ts'
import { createRecorder, type Files, isIndex, type Recording } from './record.ts'

/** All that changes a file, a name or a socket. */
const CALLS =
  'openat,write,writev,pwrite64,pwritev,sendto,sendmsg,ftruncate,rename,renameat,renameat2,link,linkat,unlink,unlinkat,fsync,fdatasync'
/** Longer than anything that a hub writes at once: a call of which the record has only a part is refused. */
const LONGEST_BYTES = 4 * 1024 * 1024
const END_BYTES = 4_096

/** The words before a command that record what it does. The command keeps its process id. */
export function recorded(log: string): string[] {
  const print = ['-f', '-y', '-xx', '-s', String(LONGEST_BYTES)]
  return ['strace', '-D', '--seccomp-bpf', ...print, '-o', log, '-e', `trace=${CALLS}`]
}

/** Why nothing can be recorded here. Undefined when it can. */
export function cannotRecord(): string | undefined {
  const [program = '', ...words] = recorded('/dev/null')
  const { error, status } = spawnSync(program, [...words, 'true'])
  if (error) return 'strace is not installed'
  return status === 0 ? undefined : 'strace may not look at processes here'
}

/** What a folder has now, without SQLite's index of the log. */
export function readFolder(folder: string): Files {
  const names = readdirSync(folder).filter((name) => !isIndex(name))
  return new Map(names.map((name) => [name, readFileSync(join(folder, name))]))
}

/** Reads the record of a process that has ended. */
export async function readRecord(
  log: string,
  pid: number,
  folder: string,
  before: Files,
): Promise<Recording> {
  await until('the end of the record', () => hasEnded(log, pid))
  const recorder = createRecorder(folder, before)
  for await (const line of createInterface({ input: createReadStream(log, 'latin1') })) recorder.line(line)
  return recorder.recording()
}

async function hasEnded(log: string, pid: number): Promise<boolean> {
  if (!existsSync(log)) return false
  await using file = await open(log)
  const { size } = await file.stat()
  const end = Buffer.alloc(Math.min(size, END_BYTES))
  await file.read(end, 0, end.length, size - end.length)
  return new RegExp(`^${pid} +\\+\\+\\+ `, 'm').test(end.toString('latin1'))
}
