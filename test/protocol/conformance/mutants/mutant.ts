import type { Mutation } from '../support/device-under-test.ts'

/** A speaker with one mistake, and what the kit has to find. */
export interface Mutant {
  /** What it is run with; the simulated speaker's own when left out. */
  profile?: unknown
  /** The cases that it is run on, slow ones too; all but those when left out. */
  only?: readonly string[]
  name: string
  mutation: () => Mutation
  /** The ids of the cases that fail: these, and no others. */
  fails: readonly string[]
  /** The same for warnings. */
  warns?: readonly string[]
  /** Failed cases whose `Likely` names the mistake, with its sentence. */
  likely?: Readonly<Record<string, RegExp>>
}
