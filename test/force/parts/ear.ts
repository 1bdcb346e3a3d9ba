import type { Heard } from '../../support/proof/judge.ts'
import type { OnLine } from '../../support/proof/on-line.ts'
import type { Payment } from '../../support/proof/processor.ts'
import { timeUntil } from '../../support/wait.ts'

/** A shop's speaker, and what was heard of it. */
export interface Ear {
  readonly terminalID: string
  readonly heard: Heard
  /** What it showed as missed, in order. */
  readonly missed: readonly { count: number; amount: string }[]
  /** How often it was welcomed in a session of its own. */
  readonly sessions: number
  readonly onLine: Pick<OnLine, 'longest'>
  /** Whether it has been welcomed, and its line stands. */
  readonly online: boolean
  stop(): Promise<void>
}

/** The speakers of a world's shops. */
export interface Ears {
  readonly all: readonly Ear[]
  of(terminalID: string): Ear | undefined
  /** Resolves when all are on the line; the milliseconds that it took, undefined when some are not by then. */
  untilOnline(withinMs: number): Promise<number | undefined>
  /** Whether each of these payments was heard. */
  haveHeard(payments: readonly Payment[]): boolean
  /** From the first report of each of these payments to its sentence, milliseconds, rising; what was heard only. */
  delays(payments: readonly Payment[]): number[]
  online(): number
  stop(): Promise<void>
}

export function gatherEars(all: readonly Ear[]): Ears {
  const byTerminal = new Map(all.map((ear) => [ear.terminalID, ear]))
  const isHeard = ({ terminalID, amount }: Payment) => byTerminal.get(terminalID)?.heard.has(amount) === true
  const online = () => all.filter((ear) => ear.online).length
  return {
    all,
    of: (terminalID) => byTerminal.get(terminalID),
    untilOnline: (withinMs) => timeUntil(() => online() === all.length, withinMs),
    haveHeard: (payments) => payments.every(isHeard),
    delays: (payments) =>
      payments
        .flatMap(({ terminalID, amount, sentAt }) => {
          const at = byTerminal.get(terminalID)?.heard.get(amount)?.[0]
          return at === undefined ? [] : [at - sentAt]
        })
        .toSorted((a, b) => a - b),
    online,
    async stop() {
      await Promise.all(all.map((ear) => ear.stop()))
    },
  }
}
