import { createHash } from 'node:crypto'
import { type Edit, keyOf } from './edit.ts'

/**
 * Chooses edits spread evenly over files and rules: each is of the file and rule that have the fewest so far. The seed
 * decides among equals. A change of the sources changes few of the chosen.
 */
export function chooseEdits(all: readonly Edit[], count: number, seed: number): Edit[] {
  const left = all
    .map((edit) => ({ edit, lot: lotOf(edit, seed) }))
    .sort((a, b) => (a.lot < b.lot ? -1 : 1))
    .map(({ edit }) => edit)
  const chosen: Edit[] = []
  const uses = new Map<string, number>()
  const usesOf = ({ file, rule }: Edit) => (uses.get(file) ?? 0) + (uses.get(rule) ?? 0)
  while (chosen.length < count && left.length > 0) {
    const [edit] = left.splice(left.indexOf(left.reduce((a, b) => (usesOf(b) < usesOf(a) ? b : a))), 1)
    if (!edit) break
    chosen.push(edit)
    for (const used of [edit.file, edit.rule]) uses.set(used, (uses.get(used) ?? 0) + 1)
  }
  return chosen
}

function lotOf(edit: Edit, seed: number): string {
  return createHash('sha256')
    .update(`${seed} ${keyOf(edit)}`)
    .digest('hex')
}
