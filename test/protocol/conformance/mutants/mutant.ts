import type { Mutation } from '../support/device-under-test.ts'

/** A speaker with one mistake, and what the kit has to find. */
export interface Mutant {
  name: string
  mutation: () => Mutation
  /** The ids of the cases that fail: these, and no others. */
  fails: readonly string[]
  /** The same for warnings. */
  warns?: readonly string[]
}
