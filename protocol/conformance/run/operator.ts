import type { Fact } from '../case/schema.ts'
import type { SentCommand } from '../hub/commands.ts'

/** A question that only a person or a rig with a camera or microphone can answer. */
export interface Question {
  caseId: string
  /** The correct answer is yes. */
  text: string
  about: Fact
  /** The command in question. */
  command: SentCommand | undefined
}

/** Operates the device under test: a person, a test rig, or nobody. A method is absent if nobody can do it. */
export interface Operator {
  /** It is a person, who is asked no question twice. */
  asksOnce?: boolean | undefined
  /** Who answers, if it is a command. */
  answersBy?: string | undefined
  /** Resolves with undefined if the operator can't tell. */
  answer?: ((question: Question) => Promise<boolean | undefined>) | undefined
  /** Cuts the power and switches it on again. */
  powerCycle?: ((when: string) => Promise<void>) | undefined
  /** Makes the device end its session cleanly. */
  goodbye?: ((how: string) => Promise<void>) | undefined
}
