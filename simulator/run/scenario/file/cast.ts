import { among, type Issue } from './issues.ts'
import { takes, verbOf } from './steps.ts'

/** Who takes part in a scenario. */
export interface Cast {
  /** The names of the speakers; one at least. */
  speakers: readonly string[]
  /** The names of the partners; one at least. */
  partners: readonly string[]
  hubs: number
}

/** The names of the only speaker and the only partner. */
export const ONLY = { speaker: 'speaker', partner: 'partner' }

/** Checks that a step says who acts, where there are several, and names only who is there. */
export function castIssues(raw: unknown, { speakers, partners, hubs }: Cast): Issue[] {
  const { on, by, of, again, number, via }: Record<string, unknown> = Object(raw)
  const verb = verbOf(raw)
  if (!verb) return []
  // A payment has its partner.
  const hasPartner = of !== undefined || again !== undefined
  return [
    ...(takes(verb, 'on') ? whoIssues('on', on, speakers, verb) : []),
    ...(takes(verb, 'by') && !(hasPartner && by === undefined) ? whoIssues('by', by, partners, verb) : []),
    ...(['number', 'via'] as const).flatMap((field) => {
      const hub = { number, via }[field]
      return typeof hub === 'number' && hub > hubs
        ? [{ path: [field], message: `there is no hub ${hub}; write hubs: ${hub} above the steps` }]
        : []
    }),
  ]
}

const KINDS = { on: 'speaker', by: 'partner' }

function whoIssues(field: 'on' | 'by', given: unknown, names: readonly string[], verb: string): Issue[] {
  const kind = KINDS[field]
  if (given === undefined) {
    if (names.length === 1) return []
    return [
      {
        path: [verb],
        message: `which ${kind}? Add ${names.map((name) => `${field}: ${name}`).join(' or ')}`,
      },
    ]
  }
  if (names.includes(String(given))) return []
  const instead = among(String(given), names, `the ${kind}s`)
  return [{ path: [field], message: `there is no ${kind} "${String(given)}"${instead}` }]
}
