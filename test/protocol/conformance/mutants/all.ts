import { IN_ITS_BIRTHS } from './in-its-births.ts'
import { IN_ITS_BODIES } from './in-its-bodies.ts'
import { IN_ITS_CHECKS } from './in-its-checks.ts'
import { IN_ITS_CLOCK } from './in-its-clock.ts'
import { IN_ITS_HEALTH } from './in-its-health.ts'
import { IN_ITS_KEYS } from './in-its-keys.ts'
import { IN_ITS_NUMBERS } from './in-its-numbers.ts'
import { IN_ITS_PACKETS } from './in-its-packets.ts'
import { IN_ITS_SCREENS } from './in-its-screens.ts'
import { IN_ITS_SESSIONS } from './in-its-sessions.ts'
import { IN_ITS_VARIABLES } from './in-its-variables.ts'
import { IN_WHAT_IT_ANSWERS } from './in-what-it-answers.ts'
import { IN_WHAT_IT_HOLDS } from './in-what-it-holds.ts'
import { IN_WHAT_IT_REMEMBERS } from './in-what-it-remembers.ts'
import { IN_WHAT_IT_SHOWS } from './in-what-it-shows.ts'
import { IN_WHAT_IT_SPEAKS } from './in-what-it-speaks.ts'
import { IN_WHAT_WAITS } from './in-what-waits.ts'
import type { Mutant } from './mutant.ts'
import { ON_THE_LINE } from './on-the-line.ts'

export const MUTANTS: readonly Mutant[] = [
  ...ON_THE_LINE,
  ...IN_ITS_PACKETS,
  ...IN_ITS_SESSIONS,
  ...IN_WHAT_IT_ANSWERS,
  ...IN_WHAT_IT_SHOWS,
  ...IN_ITS_CLOCK,
  ...IN_ITS_KEYS,
  ...IN_WHAT_IT_REMEMBERS,
  ...IN_ITS_CHECKS,
  ...IN_ITS_NUMBERS,
  ...IN_WHAT_IT_SPEAKS,
  ...IN_ITS_SCREENS,
  ...IN_WHAT_IT_HOLDS,
  ...IN_ITS_BIRTHS,
  ...IN_ITS_HEALTH,
  ...IN_ITS_BODIES,
  ...IN_WHAT_WAITS,
  ...IN_ITS_VARIABLES,
]
