import type { ErrorName } from '../../platform/errors.ts'
import type { RequestName } from '../parts/code.ts'
import type { Html } from '../parts/html.ts'

/** Errors that readers often get, and what to do about each. */
export type Refusals = Partial<Record<ErrorName, Html | string>>

/** One POST request of the quickstart. */
export interface Step {
  /** Its anchor. */
  name: string
  sample: RequestName
  title: string
  path: string
  /** Its effect in two or three sentences. */
  text: Html
  status: 200 | 201
  /** Strings may contain {{PLACEHOLDERS}}. */
  answer: object
  refusals: Refusals
  /** What the next step needs of this one. */
  next: Html
}
