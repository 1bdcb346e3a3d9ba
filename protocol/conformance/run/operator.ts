import type { Fact } from '../case/schema.ts'
import type { SentCommand } from '../hub/commands.ts'

/** A question about what only eyes and ears can tell. */
export interface Question {
  caseId: string
  /** Answered with yes when all is well. */
  text: string
  about: Fact
  /** The command that it is about. */
  command: SentCommand | undefined
}

/** Whoever stands before the device: a person, a test rig, or nobody. */
export interface People {
  /** Undefined: nobody could tell. Left out when nobody is there. */
  answer?: ((question: Question) => Promise<boolean | undefined>) | undefined
  /** Cuts the power and switches it on again; left out when nobody can. */
  powerCycle?: ((when: string) => Promise<void>) | undefined
  /** Has the device end its session cleanly; left out when nobody can. */
  goodbye?: ((how: string) => Promise<void>) | undefined
}
