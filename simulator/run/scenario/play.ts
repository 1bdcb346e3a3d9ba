import { systemClock } from '../../platform/clock.ts'
import type { DeviceConfig } from '../../speaker/device/state/state.ts'
import type { Speaker } from '../../speaker/speaker.ts'
import type { Line } from '../headless/headless.ts'
import type { View } from '../view.ts'
import type { PlacedStep, Scenario } from './load.ts'
import type { ScenarioPartner } from './partner.ts'
import { outcomeOnScreen, reasonOf } from './report.ts'
import { type Outcome, runScenario, type StepState } from './run.ts'

const SIGNS: Record<StepState, string> = { begun: '…', done: '✓', failed: '✗' }

/** The scenario's hardware as device configuration. */
export function configOf({ speaker: { faults: _, ...config } }: Scenario): Partial<DeviceConfig> {
  return config
}

/** The outcome as a headless line. */
export function outcomeLine(scenario: Scenario, outcome: Outcome): Line {
  return {
    event: 'scenario',
    ok: outcome.ok,
    about: scenario.about,
    ms: outcome.ms,
    ...(outcome.ok ? {} : { reason: reasonOf(outcome, scenario) }),
  }
}

/** Plays a scenario in a view: shows a line per step, and the outcome beside the device. */
export async function playScenario(
  scenario: Scenario,
  {
    view,
    ...world
  }: { speaker: Speaker; partner: ScenarioPartner | undefined; view: View; signal: AbortSignal },
): Promise<Outcome> {
  const told: string[] = [scenario.about]
  const outcome = await runScenario(scenario, { ...world, clock: systemClock, progress })
  // The outcome repeats the failed step with its reason.
  view.showLines([...(outcome.ok ? told : told.slice(0, -1)), ...outcomeOnScreen(scenario, outcome)])
  return outcome

  function progress({ line, text }: PlacedStep, state: StepState): void {
    if (state !== 'begun') told.pop()
    told.push(`${SIGNS[state]} ${line}  ${text}`)
    view.showLines([...told])
    if (state !== 'begun') view.print({ event: 'step', line, step: text, ok: state === 'done' })
  }
}
