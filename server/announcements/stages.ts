/** The stages of an announcement. They only move forward, in this order. The last four are final. */
export const STAGES = ['queued', 'sent', 'received', 'played', 'failed', 'expired', 'suppressed'] as const
export type Stage = (typeof STAGES)[number]

/** An announcement at one of these stages is on its way. It may move to any later stage. */
export const OPEN_STAGES = ['queued', 'sent', 'received'] as const satisfies readonly Stage[]

export function isFinal(stage: Stage): boolean {
  return !OPEN_STAGES.some((open) => open === stage)
}

/** The stages from which an announcement may move to `stage`. */
export function stagesBefore(stage: Stage): Stage[] {
  return OPEN_STAGES.filter((open) => STAGES.indexOf(open) < STAGES.indexOf(stage))
}
