import { join } from 'node:path'
import type { Clock } from '../../platform/clock.ts'
import { type Factory, provision } from '../emulator/factory-page.ts'
import { CUT_CODE, type Emulator, startEmulator } from '../emulator/qemu.ts'
import { Modem } from '../modem/modem.ts'
import type { Network } from '../modem/network.ts'
import type { ModemTimes } from '../modem/options.ts'

/** A line of the firmware's log, or of the device around it. */
export type DeviceLine = { event: string } & Record<string, unknown>

export interface DeviceOptions {
  /** The firmware, an ELF file. */
  image: string
  /** The folder of its flash, and of its speech if `speech` is set. */
  folder: string
  factory: Factory
  /** The name of its speech image in the folder. */
  speech?: string
  clock: Clock
  network: Network
  /** Files in the module by name. */
  files?: ReadonlyMap<string, Uint8Array>
  times?: ModemTimes
  onLine(line: DeviceLine): void
  onSound?(bytes: Uint8Array): void
  onTraffic?(direction: 'up' | 'down', text: string): void
}

/** The buttons of the case. */
export type Button = '+' | '-'

/** The time for `bye`, and for the module to take it. */
const GOODBYE_WITHIN_MS = 5_000

/**
 * A speaker with the real firmware: a board in the emulator, its flash in a file, and the emulated module. It prints what
 * the firmware prints, and `power`, `modem` (it was reset) and `mistake` (the firmware has misused the module).
 */
export class FirmwareDevice {
  readonly modem: Modem
  readonly flash: string
  readonly #options: DeviceOptions
  #emulator: Emulator | undefined

  constructor(options: DeviceOptions) {
    this.#options = options
    this.flash = `${options.factory.serial}.flash`
    this.modem = new Modem({
      ...options,
      write: (bytes) => this.#emulator?.toModem(bytes),
      onMistake: (what) => options.onLine({ event: 'mistake', what }),
    })
  }

  get isOn(): boolean {
    return this.#emulator !== undefined
  }

  /** The process of the board; undefined without power. */
  get pid(): number | undefined {
    return this.#emulator?.pid
  }

  /** Gives it power. `cut`: the power goes off in the middle of this write or erase of its flash, counted from 1. */
  powerOn({ cut }: { cut?: number } = {}): void {
    if (this.#emulator) return
    const { image, folder, factory, speech, onLine, onSound = () => {} } = this.#options
    provision(join(folder, this.flash), factory)
    onLine({ event: 'power', on: true })
    const emulator = startEmulator({
      ...{ image, folder, onSound },
      words: [
        `flash=${this.flash}`,
        ...(speech === undefined ? [] : [`speech=${speech}`]),
        ...(cut === undefined ? [] : [`cut=${cut}`]),
      ],
      onLog: (line) => onLine(readLine(line)),
      onModem: (bytes) => this.modem.receive(bytes),
      onPins: (bytes) => {
        if (!Buffer.from(bytes).includes('R')) return
        onLine({ event: 'modem', state: 'reset' })
        this.modem.reset()
      },
    })
    this.#emulator = emulator
    this.modem.power(true)
    void emulator.ended.then(({ code, complaint }) => {
      this.#emulator = undefined
      this.modem.power(false)
      onLine({ event: 'power', on: false, why: whyOff(code), ...(complaint === '' ? {} : { complaint }) })
    })
  }

  /** Cuts the power, even in the middle of a word or a write. */
  async cutPower(): Promise<void> {
    await this.#emulator?.kill()
  }

  /** Switches it off in order: it says `bye`. Cuts the power when it takes too long. */
  async switchOff(): Promise<void> {
    const emulator = this.#emulator
    if (!emulator) return
    this.#pins('q')
    const cancel = this.#options.clock.wakeAt(
      this.#options.clock.now() + GOODBYE_WITHIN_MS,
      () => void emulator.kill(),
    )
    await emulator.ended
    cancel()
  }

  press(button: Button): void {
    this.#pins(button)
  }

  setCharger(on: boolean): void {
    this.#pins(on ? 'c' : 'd')
  }

  /** Percent. */
  setBattery(percent: number): void {
    this.#pins(`b${percent}\n`)
  }

  /** The main loop of a build with FAULTS=1 does nothing any more. */
  hang(): void {
    this.#pins('h')
  }

  /** Cuts the power, and ends every connection. Call it at the end. */
  async close(): Promise<void> {
    await this.cutPower()
    this.modem.close()
  }

  #pins(text: string): void {
    this.#emulator?.toPins(text)
  }
}

function readLine(text: string): DeviceLine {
  try {
    const line: unknown = JSON.parse(text)
    const { event } = Object(line)
    if (typeof event === 'string') return Object(line)
  } catch {
    // A fault in the middle of a line, or a message of the startup code.
  }
  return { event: 'log', text }
}

function whyOff(code: number | undefined): string {
  if (code === undefined) return 'cut'
  if (code === CUT_CODE) return 'torn'
  return code === 0 ? 'off' : `ended with ${code}`
}
