import type { Clock } from '../../../server/platform/clock.ts'
import { httpDoor, type SignedCallback, verbDoor, type Word } from '../hub/door.ts'
import type { Hub } from '../hub/hub.ts'
import type { Dice } from '../kit/dice.ts'
import type { Trace } from '../kit/trace.ts'
import type { Entry } from '../oracle/books.ts'
import { checkRefusal, checkReport } from '../oracle/money.ts'
import { contradicting, forged, trespassing } from './payment.ts'
import type { Partner } from './town.ts'

const UNAVAILABLE = 50300
/** A processor gives up a request by then. */
const PATIENCE_MS = 10_000

/** The payment processors: they report what they know, until the hub has answered. */
export interface Processor {
  /** `at`: the hub that the first call comes to. */
  report(entry: Entry, at?: Hub): void
  /** Reports that nobody may accept. */
  contradict(entry: Entry): void
  forge(entry: Entry): void
  /** Another partner reports a payment to a terminal that it has not. */
  trespass(entry: Entry, intruder: Partner): void
}

export function createProcessor(deps: {
  hub: (caller: string) => Hub | undefined
  /** A hub may stand still, or be without its storage: a report without a 200 is made again. */
  mayFail: boolean
  /** Callbacks come in over HTTP. */
  overHttp: boolean
  clock: Clock
  dice: Dice
  trace: Trace
  judge: (what: () => void) => void
}): Processor {
  const { hub, mayFail, overHttp, clock, dice, trace, judge } = deps

  /** Hands on what the caller is told: nothing, when the hub is killed before. */
  function call(
    partner: Partner,
    callback: SignedCallback,
    then: (word: Word | undefined) => void,
    at?: Hub,
  ) {
    const asked = at?.isAlive() ? at : hub(partner.clientId)
    if (!asked) return then(undefined)
    const { calls } = asked
    let isOver = false
    function end(word: Word | undefined) {
      if (isOver) return
      isOver = true
      cancelPatience()
      then(mayFail && word?.kind === 'refused' && word.code === UNAVAILABLE ? undefined : word)
    }
    const cancelPatience = mayFail ? clock.after(PATIENCE_MS, () => end(undefined)) : () => undefined
    calls.underWay += 1
    const door = overHttp ? httpDoor(asked.core) : verbDoor(asked.core)
    void door(partner, callback)
      .catch((error: unknown) => {
        // What a killed hub's storage says is nobody's business.
        if (asked.isAlive()) throw error
        return undefined
      })
      .then((word) => {
        calls.underWay -= 1
        end(asked.isAlive() ? word : undefined)
      })
  }

  function report(entry: Entry, at?: Hub) {
    const { till, amount, callback } = entry.money
    function answered(word: Word | undefined) {
      trace.note(`${amount}: ${word ? `answered ${JSON.stringify(word)}` : 'no answer'}`)
      if (word) return judge(() => checkReport(entry, word))
      clock.after(dice.between(500, 20_000), () => {
        if (!entry.answer) report(entry)
      })
    }
    call(till.partner, callback, answered, at)
  }

  function refused(why: 'contradicting' | 'forged' | 'foreign') {
    return (word: Word | undefined) => {
      trace.note(`a ${why} report: ${word ? JSON.stringify(word) : 'no answer'}`)
      if (word) judge(() => checkRefusal(why, word))
    }
  }

  return {
    report,
    contradict: (entry) =>
      call(entry.money.till.partner, contradicting(entry.money), refused('contradicting')),
    forge: (entry) => call(entry.money.till.partner, forged(entry.money), refused('forged')),
    trespass: ({ money }, intruder) => call(intruder, trespassing(money, intruder), refused('foreign')),
  }
}
