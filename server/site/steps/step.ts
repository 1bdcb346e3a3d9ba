import type { ErrorName } from '../../platform/errors.ts'
import type { Html } from '../parts/html.ts'
import type { SampleName } from '../parts/samples.ts'

/** A refusal that a reader really meets at a step, and what to do then. */
export interface Refusal {
  /** Its code and name are those of http/error-map.ts. */
  kind: ErrorName
  advice: Html | string
}

/** One request of the quickstart. */
export interface Step {
  /** Its samples and its anchor. */
  name: SampleName
  title: string
  method: 'POST' | 'GET'
  path: string
  /** What it does, in two or three sentences. */
  text: Html
  status: 200 | 201
  /** Strings may hold {{PLACEHOLDERS}}. */
  answer: object
  refusals: Refusal[]
  /** What to take from here to the next step. */
  next: Html
}
