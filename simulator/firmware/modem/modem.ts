import { readCommand } from './at.ts'
import { type Faults, NO_FAULTS } from './faults.ts'
import { GENERAL_COMMANDS } from './general-commands.ts'
import {
  type Core,
  ERROR,
  loseSockets,
  type ModuleState,
  type Outcome,
  registrationOf,
  startedModule,
} from './module.ts'
import { type ModemOptions, type ModemTimes, USUAL_TIMES } from './options.ts'
import { Radio } from './radio.ts'
import { SOCKET_COMMANDS } from './socket-commands.ts'

const COMMANDS = { ...GENERAL_COMMANDS, ...SOCKET_COMMANDS }
/** A module does not take longer command lines. */
const LONGEST_LINE = 512
const CR = 13
const LF = 10
/** What a UART delivers while its other end gets power. */
const NOISE = Uint8Array.of(0xff, 0x00, 0xfe)
const END = '\r\n'
/** What a module does first. */
const SEARCHING = 2

type Mode =
  | { kind: 'off' | 'booting' | 'command' | 'busy' }
  | { kind: 'data'; bytes: number; take: (bytes: Uint8Array) => string }

/**
 * An LTE module with the AT commands of Quectel's BG95 and EC200 for TCP and TLS, in buffer access mode. It is without
 * power at first. Its host is at the other end of `write` and `receive`.
 */
export class Modem {
  readonly #options: ModemOptions
  readonly #times: ModemTimes
  readonly #radio: Radio
  #faults = NO_FAULTS
  #state: ModuleState = startedModule()
  #mode: Mode = { kind: 'off' }
  #input: number[] = []
  #isAfterCr = false
  #heldUrcs: string[] = []
  #registration = SEARCHING
  readonly #timers = new Set<() => void>()
  readonly #core: Core

  constructor(options: ModemOptions) {
    this.#options = options
    this.#times = options.times ?? USUAL_TIMES
    this.#radio = new Radio(options.clock, options.network, () => this.#faults)
    const state = () => this.#state
    const faults = () => this.#faults
    this.#core = {
      get state() {
        return state()
      },
      get faults() {
        return faults()
      },
      radio: this.#radio,
      now: () => options.clock.now(),
      file: (name) => options.files?.get(name.replace(/^UFS:/, '')),
      urc: (text) => this.#urc(text),
      restart: () => this.reset(),
      switchOff: () => this.power(false),
    }
  }

  get faults(): Readonly<Faults> {
    return this.#faults
  }

  /** Changes faults. Counts of things to come are set, not added. */
  set(change: Partial<Faults>): void {
    this.#faults = { ...this.#faults, ...change }
    this.#radio.run()
    this.#tellRegistration()
  }

  /** Gives or cuts the power. The hub is not told that the connections are gone. */
  power(on: boolean): void {
    this.#forget()
    this.#mode = { kind: on ? 'booting' : 'off' }
    if (on) this.#after(this.#times.bootMs, () => this.#boot())
  }

  /** Pulses the reset line, or restarts by itself: everything but its files is forgotten. */
  reset(): void {
    if (this.#mode.kind !== 'off') this.power(true)
  }

  /** The network ends the context. */
  dropContext(): void {
    if (this.#state.context !== 'active') return
    this.#state.context = 'lost'
    loseSockets(this.#core)
    this.#urc('+QIURC: "pdpdeact",1')
  }

  /** Bytes on the UART that nobody has sent. */
  noise(bytes: Uint8Array): void {
    if (this.#mode.kind !== 'off') this.#write(bytes)
  }

  /** Ends all connections at once. Call it at the end of the process. */
  close(): void {
    this.power(false)
    this.#radio.close()
  }

  /** Bytes from the host. */
  receive(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.#isLost('lostUp')) continue
      // It belongs to the line, however late it comes.
      const isLineEnd = byte === LF && this.#isAfterCr
      this.#isAfterCr = byte === CR && this.#mode.kind !== 'data'
      if (!isLineEnd) this.#take(byte)
    }
  }

  #take(byte: number): void {
    switch (this.#mode.kind) {
      case 'off':
      case 'booting':
        break
      case 'busy':
        this.#mistake('sent bytes before the answer to the last command')
        break
      case 'data':
        this.#input.push(byte)
        if (this.#input.length === this.#mode.bytes) this.#takeData(this.#mode.take)
        break
      case 'command':
        this.#takeCommandByte(byte)
    }
  }

  #takeCommandByte(byte: number): void {
    if (byte === LF) return
    if (this.#state.echo) this.#write(Uint8Array.of(byte))
    if (byte !== CR) {
      if (this.#input.length < LONGEST_LINE) this.#input.push(byte)
      return
    }
    const line = Buffer.from(this.#input).toString('latin1')
    this.#input = []
    if (line !== '') this.#obey(line)
  }

  #takeData(take: (bytes: Uint8Array) => string): void {
    const bytes = Uint8Array.from(this.#input)
    this.#input = []
    this.#options.onTraffic?.('up', `${bytes.length} bytes`)
    const fails = this.#faults.sendFails > 0
    if (fails) this.#count('sendFails')
    this.#answer({ kind: 'answer', final: fails ? 'SEND FAIL' : take(bytes) })
  }

  #obey(line: string): void {
    this.#options.onTraffic?.('up', line)
    const command = readCommand(line)
    const isPlainAt = typeof command === 'object' && command.name === ''
    // The module may have booted in the middle of the first line.
    if (command === undefined && !this.#state.isSynced) return
    if (command === undefined) this.#mistake(`sent a line without AT: ${JSON.stringify(line)}`)
    else if (!this.#state.isSynced && !isPlainAt) this.#mistake(`sent ${line} before the first AT`)
    else {
      this.#state.isSynced = true
      const handler = command === 'invalid' ? undefined : COMMANDS[command.name]
      if (!handler) this.#mistake(`sent ${line}, which no module knows`)
      this.#answer(handler && command !== 'invalid' ? handler(this.#core, command) : ERROR)
    }
  }

  #answer(outcome: Outcome): void {
    this.#mode = { kind: 'busy' }
    if (outcome.kind === 'prompt') {
      this.#after(this.#times.answerMs, () => {
        this.#mode = { ...outcome, kind: 'data' }
        if (this.#faults.lostPrompts > 0) this.#count('lostPrompts')
        else this.#write(Buffer.from(`${END}> `))
      })
      return
    }
    const { lines = [], final, takesMs = this.#times.answerMs, afterwards } = outcome
    this.#after(takesMs, () => {
      this.#mode = { kind: 'command' }
      if (this.#faults.lostAnswers > 0) this.#count('lostAnswers')
      else this.#tell(lines, final)
      afterwards?.()
      for (const urc of this.#heldUrcs.splice(0)) this.#urc(urc)
    })
  }

  #tell(lines: readonly (string | Uint8Array)[], final: string): void {
    const parts = lines.map((line) => (typeof line === 'string' ? `${END}${line}${END}` : line))
    const ends = lines.some((line) => typeof line !== 'string') ? END : ''
    const bytes = [...parts, ends, `${END}${final}${END}`].map((part) => Buffer.from(part))
    for (const line of [...lines, final])
      this.#options.onTraffic?.('down', typeof line === 'string' ? line : `${line.length} bytes`)
    this.#write(Buffer.concat(bytes))
  }

  /** The host is told in between, but not while it sends data. */
  #urc(text: string): void {
    if (this.#mode.kind === 'off' || this.#mode.kind === 'booting') return
    if (this.#mode.kind === 'data') return void this.#heldUrcs.push(text)
    this.#options.onTraffic?.('down', text)
    this.#write(Buffer.from(`${END}${text}${END}`))
  }

  #boot(): void {
    this.#mode = { kind: 'command' }
    this.#write(NOISE)
    this.#urc('RDY')
    this.#after(this.#times.simMs, () => {
      this.#state.isSimReady = true
      this.#urc(this.#faults.noSim ? '+CPIN: NOT INSERTED' : '+CPIN: READY')
      this.#urc('+QIND: SMS DONE')
      this.#tellRegistration()
    })
    this.#after(this.#times.registerMs, () => {
      this.#state.hasFoundNetwork = true
      this.#tellRegistration()
    })
  }

  #tellRegistration(): void {
    const now = registrationOf(this.#core)
    if (now === this.#registration) return
    this.#registration = now
    if (this.#state.tellsRegistration) this.#urc(`+CEREG: ${now}`)
  }

  #forget(): void {
    for (const cancel of this.#timers) cancel()
    this.#timers.clear()
    loseSockets(this.#core)
    this.#state = startedModule()
    this.#input = []
    this.#heldUrcs = []
    this.#registration = SEARCHING
  }

  #write(bytes: Uint8Array): void {
    const kept = bytes.filter(() => !this.#isLost('lostDown'))
    if (kept.length > 0) this.#options.write(kept)
  }

  #isLost(fault: 'lostUp' | 'lostDown'): boolean {
    if (this.#faults[fault] === 0) return false
    this.#count(fault)
    return true
  }

  #count(fault: 'lostAnswers' | 'lostPrompts' | 'sendFails' | 'lostUp' | 'lostDown'): void {
    this.#faults = { ...this.#faults, [fault]: this.#faults[fault] - 1 }
  }

  #mistake(what: string): void {
    this.#options.onMistake?.(what)
  }

  #after(ms: number, act: () => void): void {
    const cancel = this.#options.clock.wakeAt(this.#options.clock.now() + ms, () => {
      this.#timers.delete(cancel)
      act()
    })
    this.#timers.add(cancel)
  }
}
