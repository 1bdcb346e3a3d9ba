import { MUTANTS } from '../mutants/all.ts'
import type { Mutant } from '../mutants/mutant.ts'
import { IN_ITS_CONNECT } from './in-its-connect.ts'
import { IN_ITS_KEYS } from './in-its-keys.ts'
import { IN_ITS_MACS } from './in-its-macs.ts'
import { IN_ITS_VALUES } from './in-its-values.ts'
import { IN_WHAT_IT_DOES } from './in-what-it-does.ts'
import type { Mistake } from './mistake.ts'
import { WITHOUT_A_SESSION } from './without-a-session.ts'

export const MISTAKES: readonly Mistake[] = [
  ...IN_ITS_KEYS,
  ...IN_ITS_MACS,
  ...IN_ITS_CONNECT,
  ...IN_ITS_VALUES,
  ...IN_WHAT_IT_DOES,
  ...WITHOUT_A_SESSION,
  ...MUTANTS.flatMap(mistakesOf),
]

function mistakesOf({ name, mutation, likely = {} }: Mutant): Mistake[] {
  return Object.entries(likely).map(([fails, sentence]) => ({
    ...{ name: `${name} (${fails})`, mutation, fails, likely: sentence, only: [fails] },
  }))
}
