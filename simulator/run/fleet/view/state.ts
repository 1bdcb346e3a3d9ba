import { COLUMN_IDS } from './columns.ts'
import type { FleetAction } from './keys.ts'
import type { OrderBy } from './order.ts'

/** The choices of the table's user. */
export interface TableState extends OrderBy {
  view: 'both' | 'map' | 'table'
  /** Whether the filter is being typed. */
  typing: boolean
  help: boolean
  /** The index of the selected speaker, which keeps its selection in every order; undefined: the first row. */
  selected: number | undefined
  /** The first visible row. */
  top: number
  /** The index of the opened speaker. */
  opened: number | undefined
}

const NEXT_VIEW = { both: 'map', map: 'table', table: 'both' } as const

export const FIRST_TABLE: TableState = {
  view: 'both',
  ...{ sort: 'serial', reversed: false, filter: '', problemsOnly: false },
  ...{ typing: false, help: false, selected: undefined, top: 0, opened: undefined },
}

/** The table's order and its visible rows. */
export interface Place {
  order: readonly number[]
  rows: number
}

/** Longer than any serial or shop. */
const LONGEST_FILTER = 64

/** Applies an action to the table; those that concern the run leave it as it is. */
export function act(state: TableState, action: FleetAction, place: Place): TableState {
  switch (action.do) {
    case 'move':
      return move(state, action.to, place)
    case 'open':
      if (state.typing) return { ...state, typing: false }
      return { ...state, help: false, opened: place.order[positionOf(state, place)] }
    case 'escape':
      return stepBack(state)
    case 'filter':
      return { ...state, typing: true, help: false }
    case 'type':
      return { ...state, filter: (state.filter + action.text).slice(0, LONGEST_FILTER), top: 0 }
    case 'erase':
      return { ...state, filter: [...state.filter].slice(0, -1).join(''), top: 0 }
    case 'problems':
      return { ...state, problemsOnly: !state.problemsOnly, top: 0 }
    case 'map':
      return { ...state, view: NEXT_VIEW[state.view] }
    case 'sort':
      return { ...state, sort: columnAfter(state.sort, action.by), top: 0, selected: undefined }
    case 'reverse':
      return { ...state, reversed: !state.reversed, top: 0, selected: undefined }
    case 'help':
      return { ...state, help: !state.help }
    case 'quit':
    case 'throttle':
      return state
  }
}

/** The row of the selected speaker; the first row when it is not in the table. */
export function positionOf({ selected }: Pick<TableState, 'selected'>, { order }: Place): number {
  return selected === undefined ? 0 : Math.max(0, order.indexOf(selected))
}

/** The first visible row: keeps the selected row visible and fills the screen. */
export function topOf(state: Pick<TableState, 'selected' | 'top'>, place: Place): number {
  const position = positionOf(state, place)
  const { order, rows } = place
  const top = Math.min(Math.max(state.top, position - rows + 1), position)
  return Math.max(0, Math.min(top, order.length - rows))
}

function move(state: TableState, to: Extract<FleetAction, { do: 'move' }>['to'], place: Place): TableState {
  const { order, rows } = place
  const from = positionOf(state, place)
  const last = order.length - 1
  const positions = {
    up: from - 1,
    down: from + 1,
    page_up: from - rows,
    page_down: from + rows,
    first: 0,
    last,
  }
  const position = Math.max(0, Math.min(last, positions[to]))
  const moved = { ...state, selected: position === 0 ? undefined : order[position] }
  return { ...moved, top: topOf(moved, place) }
}

/** Undoes one thing at a time. */
function stepBack(state: TableState): TableState {
  if (state.opened !== undefined) return { ...state, opened: undefined }
  if (state.help) return { ...state, help: false }
  if (state.typing || state.filter !== '') return { ...state, typing: false, filter: '', top: 0 }
  return { ...state, problemsOnly: false }
}

function columnAfter(sort: OrderBy['sort'], by: 1 | -1): OrderBy['sort'] {
  const next = COLUMN_IDS.indexOf(sort) + by
  return COLUMN_IDS.at(next % COLUMN_IDS.length) ?? sort
}
