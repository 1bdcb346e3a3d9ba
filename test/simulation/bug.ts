import type { Kind } from './kind.ts'
import type { Plants } from './world.ts'

/** A bug, put into the hub or the device for a test, and the promises of which one breaks by it. */
export interface Bug {
  name: string
  breaks: readonly string[]
  plants: () => Plants
  /** The worlds in which it can show: with one hub, unless it says so. */
  kind?: Partial<Kind>
  /** It shows in one of so many worlds of so many steps. */
  within: number
  steps: number
}

export const EASY = { within: 20, steps: 20 }
export const HARD = { within: 150, steps: 40 }
