import type { Clock } from '../../platform/clock.ts'
import type { Network } from './network.ts'

/** How long the module takes, in milliseconds. */
export interface ModemTimes {
  /** From power or the reset line to `RDY`. */
  bootMs: number
  /** From `RDY` to the SIM card, and to the registration. */
  simMs: number
  registerMs: number
  /** From a command to its answer, unless it takes longer. */
  answerMs: number
}

/** As quick as a good module in a good place. */
export const USUAL_TIMES: ModemTimes = { bootMs: 1_500, simMs: 500, registerMs: 1_500, answerMs: 5 }

export interface ModemOptions {
  clock: Clock
  network: Network
  /** Bytes to the host. */
  write(bytes: Uint8Array): void
  /** Files in the module by name, for `cacert`. */
  files?: ReadonlyMap<string, Uint8Array>
  times?: ModemTimes
  /** Something that a host must not do, and a real module punishes by silence, ERROR or lost bytes. */
  onMistake?(what: string): void
  /** Each command line and each line to the host, for a log. */
  onTraffic?(direction: 'up' | 'down', text: string): void
}
