import type { Key } from 'ink'
import type { Clock } from '../../../platform/clock.ts'
import type { Speaker } from '../../../speaker/speaker.ts'
import { summaryOf } from '../report/figures.ts'
import type { Run } from '../run/run.ts'
import { fleetActionOf } from './keys.ts'
import type { MapSource } from './map/cells.ts'
import { type TableModel, tableModel } from './model.ts'
import { type OrderBy, orderOf } from './order.ts'
import { act, FIRST_TABLE, type TableState } from './state.ts'

/** How long an order stays valid: sorting reads every speaker, a frame only the visible ones. */
const ORDER_MS = 1_000

/** How fast speaking speakers change on the map. */
const BEAT_MS = 250

/** Two minutes, which fill a wide terminal. */
const SPARK_SECONDS = 120

interface Size {
  columns: number
  rows: number
}

/** The state of the table: handles its keys and builds its model. */
export class Table {
  readonly #run: Run
  readonly #clock: Clock
  #state: TableState = FIRST_TABLE
  #order: readonly number[] = []
  #orderedAtMs = Number.NEGATIVE_INFINITY
  #orderedBy: OrderBy = FIRST_TABLE
  #rows = 1
  #noticesReadAtMs = Number.NEGATIVE_INFINITY

  constructor(run: Run, clock: Clock) {
    this.#run = run
    this.#clock = clock
  }

  /** Handles a key, or several letters at once, as from a paste. */
  press(input: string, key: Partial<Key>): void {
    const letters = [...input]
    if (letters.length <= 1) this.#pressOne(input, key)
    else for (const letter of letters) this.#pressOne(letter, key)
  }

  #pressOne(input: string, key: Partial<Key>): void {
    const action = fleetActionOf(input, key, this.#state.typing)
    if (!action) return
    if (action.do === 'quit') this.#run.end()
    else if (action.do === 'throttle') this.#run.pay?.processor.throttle(action.how)
    else this.#state = act(this.#state, action, { order: this.#ordered(), rows: this.#rows })
  }

  /** The opened speaker. */
  get opened(): Speaker | undefined {
    const { opened } = this.#state
    return opened === undefined ? undefined : this.#run.fleet.speakers[opened]
  }

  /** Returns from the opened speaker to the table. */
  back(): void {
    const { opened } = this.#state
    const { fleet } = this.#run
    if (opened !== undefined)
      fleet.roster.settle(opened, fleet.speakers[opened]?.snapshot().link === 'offline')
    this.#state = { ...this.#state, opened: undefined }
  }

  model({ columns, rows }: Size, colour: boolean): TableModel {
    const { fleet, ramp, durationMs } = this.#run
    const { roster, speakers } = fleet
    const nowMs = this.#clock.now()
    const counted = roster.totals.announced > 0 ? roster.announcements : roster.connects
    const model = tableModel({
      ...{ columns, rows, colour, speakers, roster: roster.rows },
      summary: summaryOf(this.#run, nowMs),
      startsWithinS: fleet.startsWithinS(),
      ramp: { stalledS: ramp.stalledMs / 1000, patienceS: ramp.patienceMs / 1000 },
      durationS: durationMs === undefined ? undefined : durationMs / 1000,
      map: this.#map(nowMs),
      beat: Math.floor(nowMs / BEAT_MS),
      perSecond: counted.last(nowMs, SPARK_SECONDS),
      order: this.#ordered(),
      state: this.#state,
    })
    this.#rows = Math.max(1, model.layout.tableRows)
    return model
  }

  #map(nowMs: number): MapSource {
    const { roster, speakers } = this.#run.fleet
    if (nowMs - this.#noticesReadAtMs >= ORDER_MS) {
      this.#noticesReadAtMs = nowMs
      roster.readNotices((index) => speakers[index]?.snapshot().display.screen)
    }
    return {
      speakers: roster.rows.length,
      isConnected: (index) => roster.rows[index]?.link === 'connected',
      isSpeaking: (index) => roster.isSpeaking(index),
      showsMissed: (index) => roster.showsMissed(index),
    }
  }

  #ordered(): readonly number[] {
    const nowMs = this.#clock.now()
    const { sort, reversed, filter, problemsOnly } = this.#state
    const by = { sort, reversed, filter, problemsOnly }
    const isSame = JSON.stringify(by) === JSON.stringify(this.#orderedBy)
    if (isSame && nowMs - this.#orderedAtMs < ORDER_MS) return this.#order
    const { roster, speakers } = this.#run.fleet
    this.#order = orderOf(roster.rows, speakers, by)
    this.#orderedAtMs = nowMs
    this.#orderedBy = by
    return this.#order
  }
}
