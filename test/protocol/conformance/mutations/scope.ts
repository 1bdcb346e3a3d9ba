import { globSync } from 'node:fs'
import type { Edit } from './edit.ts'
import { fits } from './kind.ts'
import { LEFT_OUT } from './left-out.ts'
import { listEdits } from './list.ts'

/** Where a rule of sb/1 is in the speaker's hands. */
const SOURCES = [
  'simulator/speaker/device/**/*.ts',
  'simulator/speaker/connection/{backoff,connection,incoming,session}.ts',
  'protocol/frame.ts',
  'protocol/messages/command.ts',
]

export interface Scope {
  /** Edits that make a faulty speaker, by the text of the edit. */
  edits: Edit[]
  /** The others, by the reason why they are left out. */
  leftOut: ReadonlyMap<string, Edit[]>
}

export function scopeOf(root: string): Scope {
  const files = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: root })).sort()
  const byReason = Map.groupBy(
    listEdits(root, files),
    (edit) => LEFT_OUT.find((kind) => fits(kind, edit))?.why,
  )
  const edits = byReason.get(undefined) ?? []
  const leftOut = [...byReason].flatMap(([why, some]) => (why === undefined ? [] : [[why, some] as const]))
  return { edits, leftOut: new Map(leftOut) }
}
