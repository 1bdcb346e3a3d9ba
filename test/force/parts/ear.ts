import type { Heard } from '../../support/proof/judge.ts'
import type { OnLine } from '../../support/proof/on-line.ts'
import type { Payment } from '../../support/proof/processor.ts'
import { timeUntil } from '../../support/wait.ts'

/** A shop's speaker, and the sentences that it spoke. */
export interface Ear {
  readonly terminalID: string
  readonly heard: Heard
  /** The amounts that it showed as missed, in order. */
  readonly missed: readonly { count: number; amount: string }[]
  /** The number of sessions in which it was welcomed. */
  readonly sessions: number
  readonly onLine: Pick<OnLine, 'longest'>
  /** Whether it is welcomed and connected. */
  readonly online: boolean
  stop(): Promise<void>
}

/** The speakers of a world's shops. */
export interface Ears {
  readonly all: readonly Ear[]
  of(terminalID: string): Ear | undefined
  /** Resolves with the milliseconds until all are connected. Undefined when some are not in time. */
  untilOnline(withinMs: number): Promise<number | undefined>
  /** Whether each of these payments was heard. */
  haveHeard(payments: readonly Payment[]): boolean
  /** For the spoken payments: sorted milliseconds from the first report to the sentence. */
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
