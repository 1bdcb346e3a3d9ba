import type { ErrorName } from '../../platform/errors.ts'
import type { Html } from '../parts/html.ts'
import type { SampleName } from '../parts/samples.ts'

/** An error that readers often get at a step, and what to do about it. */
export interface Refusal {
  kind: ErrorName
  advice: Html | string
}

/** One request of the quickstart. */
export interface Step {
  /** Names its samples and its anchor. */
  name: SampleName
  title: string
  method: 'POST' | 'GET'
  path: string
  /** Its effect in two or three sentences. */
  text: Html
  status: 200 | 201
  /** Strings may hold {{PLACEHOLDERS}}. */
  answer: object
  refusals: Refusal[]
  /** What the next step needs of this one. */
  next: Html
}
