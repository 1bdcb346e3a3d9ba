import type { Profile } from './case/profile.ts'
import type { Operator } from './run/operator.ts'
import type { Clock } from './wire/clock.ts'

/** A device that the caller of the kit brings along, with its test rig: for `--demo`. */
export interface Demo {
  /** What is checked, and how its time runs: for the start. */
  about: string
  /** What the result is not: for the end. */
  caveat: string
  serial: string
  /** The device's secret K. */
  key: Uint8Array
  profile: Profile
  /** The clock of the kit and of the device. */
  clock: Clock
  operator: Operator
  /** Switches the device on, with the kit at this port of 127.0.0.1. */
  start(port: number): void
  stop(): Promise<void>
}
