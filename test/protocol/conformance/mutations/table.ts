import type { Edit } from './edit.ts'
import { whyEscaped } from './escapes.ts'
import { isCaught, type Outcome, type Tried } from './outcome.ts'

/** Cases that are named for one edit. A wrong MAC fails nearly all of them. */
const MOST_NAMED = 4

export function lineOf({ edit, outcome }: Tried): string {
  return `${edit.file}:${edit.line} ${edit.place}, ${edit.rule}\n    ${edit.before}\n  → ${edit.after}\n    ${textOf(edit, outcome)}\n`
}

export function summaryOf(tried: readonly Tried[]): string {
  const counts = Map.groupBy(tried, ({ outcome }) => outcome.how)
  const parts = [...counts].map(([how, { length }]) => `${length} ${how}`).sort()
  const percent = (100 * tried.filter(isCaught).length) / Math.max(1, tried.length)
  return `${tried.length} faulty speakers: ${parts.join(', ')}; the kit finds ${percent.toFixed(1)} %\n`
}

function textOf(edit: Edit, outcome: Outcome): string {
  switch (outcome.how) {
    case 'caught':
      return `caught: ${[...outcome.fail.map((id) => `✘ ${id}`), ...outcome.warn.map((id) => `▲ ${id}`)]
        .slice(0, MOST_NAMED)
        .join(', ')}${more(outcome.fail.length + outcome.warn.length - MOST_NAMED)}`
    case 'gone':
      return 'caught: the device was lost'
    case 'hung':
      return 'caught: the device hung'
    case 'crashed':
      return `caught: the device crashed, ${outcome.error}`
    case 'escaped':
      return `ESCAPED: ${whyEscaped(edit) ?? 'nobody knows why yet'}`
    case 'no program':
      return `NO PROGRAM: ${outcome.error}`
  }
}

function more(count: number): string {
  return count > 0 ? ` and ${count} more` : ''
}
