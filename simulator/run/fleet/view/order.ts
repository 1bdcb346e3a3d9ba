import type { Speaker } from '../../../speaker/speaker.ts'
import { problemOf, type RosterRow } from '../model/roster.ts'
import { COLUMNS, type ColumnId } from './columns.ts'
import { LINK_LABELS } from './header/link-labels.ts'

/** The filter and the order of the table. */
export interface OrderBy {
  sort: ColumnId
  reversed: boolean
  /** Shows speakers whose serial, shop or state contains this text, in any case; empty: all. */
  filter: string
  /** Shows only speakers with a problem. */
  problemsOnly: boolean
}

/** The indexes of the speakers in the order of the table. Equal values keep the order of the fleet. */
export function orderOf(
  rows: readonly RosterRow[],
  speakers: readonly Pick<Speaker, 'snapshot'>[],
  { sort, reversed, filter, problemsOnly }: OrderBy,
): number[] {
  const { value } = COLUMNS[sort]
  const wanted = filter.toLocaleLowerCase()
  const found: { index: number; value: number | string }[] = []
  for (const row of rows) {
    if (problemsOnly && problemOf(row) === undefined) continue
    if (wanted !== '' && !textOf(row).includes(wanted)) continue
    const speaker = speakers[row.index]
    if (speaker) found.push({ index: row.index, value: value(row, () => speaker.snapshot()) })
  }
  const sign = reversed ? -1 : 1
  found.sort((a, b) => sign * compare(a.value, b.value) || a.index - b.index)
  return found.map(({ index }) => index)
}

function textOf({ serial, shop, link }: RosterRow): string {
  return `${serial} ${shop} ${LINK_LABELS[link].text}`.toLocaleLowerCase()
}

const letters = new Intl.Collator('vi')

function compare(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return letters.compare(String(a), String(b))
}
