import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parse, stringify } from 'yaml'

/**
 * No machine is that slow; a step that passes does not wait for it. The runner's own timeout is longer: before it, the
 * scenario names the step that hangs.
 */
export const PATIENT_WITHIN = '10m'
/** The steps that wait for something. */
const VERBS = ['expect', 'see', 'stage']

/** Copies a scenario whose hub or speaker is a process of its own: one that stands still for a while fails no step. */
export function patientCopy(file: string, folder: string): string {
  const { steps, ...scenario } = Object(parse(readFileSync(file, 'utf8')))
  const copy = join(folder, basename(file))
  writeFileSync(copy, stringify({ ...scenario, steps: patient(steps) }))
  return copy
}

function patient(steps: readonly Record<string, unknown>[]): object[] {
  return steps.map((step) => {
    if (Array.isArray(step.steps)) return { ...step, steps: patient(step.steps) }
    return VERBS.some((verb) => verb in step) ? { ...step, within: PATIENT_WITHIN } : step
  })
}
