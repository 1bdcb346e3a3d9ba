import { timeUntil } from '../../support/wait.ts'
import type { Stage } from '../scenario.ts'

/** A shop's speaker. Its history has what it speaks and shows. */
export interface Ear {
  readonly terminalID: string
  /** The number of sessions in which it was welcomed. */
  readonly sessions: number
  /** Whether it is welcomed and connected. */
  readonly online: boolean
  /** Of one that is not switched on when it is made. */
  start?(): void
  stop(): Promise<void>
}

/** The speakers of a world's shops. */
export interface Ears {
  readonly all: readonly Ear[]
  of(terminalID: string): Ear | undefined
  /** Resolves with the milliseconds until all are connected. Undefined when some are not in time. */
  untilOnline(withinMs: number): Promise<number | undefined>
  online(): number
  stop(): Promise<void>
}

export function gatherEars(all: readonly Ear[]): Ears {
  const byTerminal = new Map(all.map((ear) => [ear.terminalID, ear]))
  const online = () => all.filter((ear) => ear.online).length
  return {
    all,
    of: (terminalID) => byTerminal.get(terminalID),
    untilOnline: (withinMs) => timeUntil(() => online() === all.length, withinMs),
    online,
    async stop() {
      await Promise.all(all.map((ear) => ear.stop()))
    },
  }
}

/** Switches speakers on, and waits until all are connected: else `broken` gets a sentence. */
export async function bringOnline(
  all: readonly Ear[],
  withinMs: number,
  broken: string[],
  { onEnd }: Pick<Stage, 'onEnd'>,
): Promise<Ears> {
  const ears = gatherEars(all)
  onEnd(() => ears.stop())
  for (const ear of all) ear.start?.()
  if ((await ears.untilOnline(withinMs)) === undefined) broken.push('not all speakers came on the line')
  return ears
}
