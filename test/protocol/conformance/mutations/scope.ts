import { globSync } from 'node:fs'
import { type Edit, keyOf } from './edit.ts'
import { LEFT_OUT } from './left-out.ts'
import { listEdits } from './list.ts'

/** Where a rule of sb/1 is in the speaker's hands. */
const SOURCES = [
  'simulator/speaker/device/**/*.ts',
  'simulator/speaker/connection/{backoff,connection,incoming,session}.ts',
  'protocol/frame.ts',
  'protocol/messages/command.ts',
]

/** All edits that make a faulty speaker, by the text of the edit. */
export function editsInScope(root: string): Edit[] {
  const files = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: root })).sort()
  return listEdits(root, files).filter((edit) => !LEFT_OUT.some(({ edits }) => edits.test(keyOf(edit))))
}
