import type { BoxEffect } from './effects.ts'
import type { BoxFault } from './faults.ts'
import type { BoxLine } from './lines.ts'
import type { BoxConfig, BoxState, Screen, Sound } from './state.ts'

/** How long a paid amount stays on the screen. */
const AMOUNT_MS = 6_000
const CODE = /^\d{6}$/

/** One step in the making: the state so far and the effects so far. It ends with the step. */
export class Turn {
  readonly nowMs: number
  readonly effects: BoxEffect[] = []
  #state: BoxState

  constructor(state: BoxState, nowMs: number) {
    this.#state = state
    this.nowMs = nowMs
  }

  get state(): BoxState {
    return this.#state
  }

  get config(): BoxConfig {
    return this.#state.config
  }

  set(change: Partial<BoxState>): void {
    this.#state = { ...this.#state, ...change }
  }

  has(fault: BoxFault): boolean {
    return this.#state.faults.includes(fault)
  }

  emit(event: BoxLine): void {
    this.effects.push({ type: 'emit', event })
  }

  ignore(reason: string): void {
    this.emit({ event: 'ignored', reason })
  }

  publish(
    topic: string,
    payload: unknown,
    { qos = 1, retain = false }: { qos?: 0 | 1; retain?: boolean } = {},
  ) {
    const text = typeof payload === 'string' ? payload : JSON.stringify(payload)
    this.effects.push({ type: 'publish', topic, payload: text, qos, ...(retain ? { retain } : {}) })
  }

  withhold(): void {
    this.effects.push({ type: 'withhold' })
  }

  /** Ten decimal digits that this box has not used since the power came. */
  newId(): string {
    const sent = this.#state.sent + 1
    this.set({ sent })
    return String((Math.floor(this.nowMs / 1000) * 100 + sent) % 10 ** 10).padStart(10, '0')
  }

  /** Whether an id is known; remembers the newest `most`. */
  knows(id: string, most: number): boolean {
    const { ids } = this.#state
    if (!this.has('forgets-ids') && ids.includes(id)) return true
    this.set({ ids: [...ids, id].slice(-most) })
    return false
  }

  get isBusy(): boolean {
    return this.#state.playing !== undefined || this.#state.queue.length > 0
  }

  /** Whether `busy-drops` takes a message away. */
  dropsBusy(): boolean {
    const drops = this.has('busy-drops') && this.isBusy
    if (drops) this.emit({ event: 'dropped', reason: 'busy' })
    return drops
  }

  /** Says it, after what already waits. */
  say(sound: Sound): void {
    this.set({ queue: [...this.#state.queue, sound] })
    this.startNext()
  }

  /** Begins the next sound when it is silent. */
  startNext(): void {
    const { playing, queue, config } = this.#state
    const [sound, ...rest] = queue
    if (playing || !sound) return
    const n = this.#state.sounds + 1
    const { text, lang, amount, code, id } = sound
    const endsAtMs = this.nowMs + config.wordMs * text.split(/[\s,]+/).length
    this.set({ queue: rest, sounds: n, playing: { ...sound, n, startsAtMs: this.nowMs, endsAtMs } })
    if (code !== undefined) this.emit({ event: 'code', code, how: 'spoken' })
    this.emit({
      event: 'announce',
      n,
      ...(amount === undefined ? {} : { amount }),
      currency: 'VND',
      text,
      lang,
      ...(id === undefined ? {} : { id }),
    })
  }

  /** Ends the sound that is heard. Returns it, unless the power fails now. */
  endSound(): Sound | undefined {
    const { playing } = this.#state
    if (!playing) return undefined
    this.emit({ event: 'played', n: playing.n })
    this.set({ playing: undefined })
    if (!playing.deadly) return playing
    this.die()
    return undefined
  }

  /** The power fails. It does so once: with a fault that stays, the box could never be heard again. */
  die(): void {
    this.set({ faults: this.#state.faults.filter((fault) => fault !== 'dies-before-reply') })
    this.emit({ event: 'fault', fault: 'dies-before-reply', on: false })
    this.effects.push({ type: 'die', forMs: this.config.deadMs })
  }

  /** Shows a QR. Six digits are a code: a shop reads them with a phone. */
  showQr(shown: Omit<Extract<Screen, { screen: 'qr' }>, 'screen'>): void {
    this.clear('replaced')
    this.set({ screen: { screen: 'qr', ...shown } })
    const { qr, amount, bill, untilMs } = shown
    this.emit({
      event: 'qr',
      qr,
      ...(amount === undefined ? {} : { amount }),
      bill,
      ...(untilMs === undefined ? {} : { exp: Math.floor(untilMs / 1000) }),
    })
    if (CODE.test(qr)) this.emit({ event: 'code', code: qr, how: 'qr' })
  }

  showCode(code: string, untilMs: number): void {
    this.clear('replaced')
    this.set({ screen: { screen: 'code', code, untilMs } })
    this.emit({ event: 'code', code, how: 'screen' })
  }

  showAmount(amount: string): void {
    if (this.#state.screen.screen === 'code') return
    this.set({ screen: { screen: 'amount', amount, untilMs: this.nowMs + AMOUNT_MS } })
  }

  /** Returns to the idle screen. */
  clear(why: Extract<BoxLine, { event: 'cleared' }>['why']): void {
    const { screen } = this.#state.screen
    if (screen === 'qr' || screen === 'code') this.emit({ event: 'cleared', what: screen, why })
    this.set({ screen: { screen: 'home' } })
  }
}
