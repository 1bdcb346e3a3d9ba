/** A part of a run with payments at a steady rate, or one that changes evenly. */
export interface Stage {
  name: 'ramp' | 'hold' | 'spike' | 'pause'
  /** Payments per second at its begin and at its end. */
  from: number
  to: number
  ms: number
}

/** How many payments a second a run asks for. Times are milliseconds from the end of the fleet's ramp. */
export interface Load {
  /** Payments per second before, once every shop is ready. */
  readonly first: number
  readonly stages: readonly Stage[]
  /** The length of all stages; undefined: the load has no end. */
  readonly ms: number | undefined
}

export function steadyLoad(perSecond: number): Load {
  return { first: perSecond, stages: [], ms: undefined }
}

export function stagedLoad(first: number, stages: readonly Stage[]): Load {
  return { first, stages, ms: stages.reduce((sum, { ms }) => sum + ms, 0) }
}

/** The same at a part of the rate. */
export function scaledLoad({ first, stages, ms }: Load, part: number): Load {
  const scaled = stages.map((stage) => ({ ...stage, from: stage.from * part, to: stage.to * part }))
  return { first: first * part, stages: scaled, ms }
}

/** The stage at a time, its number from 1 on, and how long it has lasted; undefined before the first and after the last. */
export function stageAt(
  { stages }: Load,
  atMs: number,
): { stage: Stage; number: number; passedMs: number } | undefined {
  let endMs = 0
  for (const [index, stage] of stages.entries()) {
    endMs += stage.ms
    if (atMs >= 0 && atMs < endMs) {
      return { stage, number: index + 1, passedMs: atMs - endMs + stage.ms }
    }
  }
  return undefined
}

/** Payments per second at a time: before the stages the first rate, after them none. */
export function rateAt(load: Load, atMs: number): number {
  if (load.ms === undefined || atMs < 0) return load.first
  const { stage, passedMs } = stageAt(load, atMs) ?? {}
  return stage === undefined || passedMs === undefined ? 0 : rateIn(stage, passedMs)
}

function rateIn({ from, to, ms }: Stage, passedMs: number): number {
  return from + ((to - from) * passedMs) / ms
}

/** Payments per second on average from one time to a later one, however long ago the last look was. */
export function averageRate(load: Load, fromMs: number, toMs: number): number {
  return toMs > fromMs ? (dueUntil(load, toMs) - dueUntil(load, fromMs)) / ((toMs - fromMs) / 1000) : 0
}

/** Payments that come due until a time; fewer than 0 before the begin. */
function dueUntil({ first, stages, ms }: Load, atMs: number): number {
  if (ms === undefined || atMs < 0) return (first * atMs) / 1000
  let due = 0
  let beganMs = 0
  for (const stage of stages) {
    const passedMs = Math.min(stage.ms, Math.max(0, atMs - beganMs))
    due += (((stage.from + rateIn(stage, passedMs)) / 2) * passedMs) / 1000
    beganMs += stage.ms
  }
  return due
}
