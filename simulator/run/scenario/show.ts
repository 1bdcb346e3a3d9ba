import { isBox } from '../../boxes/box-speaker.ts'
import { systemClock } from '../../platform/clock.ts'
import type { DeviceConfig } from '../../speaker/device/state/state.ts'
import type { Speaker } from '../../speaker/speaker.ts'
import { type BoxPrintedLine, lineOf } from '../boxes/printed-line.ts'
import { type Line, linePrinter, runHeadless } from '../headless/headless.ts'
import { openView, type View, type ViewOptions } from '../view.ts'
import type { PlacedStep, Scenario } from './file/load.ts'
import type { SpeakerHardware } from './file/schema.ts'
import { type Outcome, runScenario, type ScenarioWorld, type StepState } from './play/run.ts'
import { outcomeOnScreen, reasonOf } from './report/describe.ts'

const SIGNS: Record<StepState, string> = { begun: '…', done: '✓', failed: '✗' }

/** The hardware of a speaker of sb/1 as device configuration. */
export function configOf({ faults: _, dialect: __, ...config }: SpeakerHardware): Partial<DeviceConfig> {
  return config
}

/** The outcome as a headless line. */
export function outcomeLine(scenario: Scenario, outcome: Outcome): Line {
  return {
    event: 'scenario',
    ok: outcome.ok,
    file: scenario.file,
    about: scenario.about,
    ms: outcome.ms,
    ...(outcome.ok ? {} : { reason: reasonOf(outcome, scenario) }),
  }
}

/** A view of the speakers of a scenario. `quiet`: nothing but the result, which is shown elsewhere. */
export async function openShow(
  speakers: ReadonlyMap<string, Speaker>,
  options: ViewOptions & { quiet: boolean },
): Promise<View> {
  const [[, only] = [], ...others] = speakers
  if (options.quiet || !only) return SILENT
  return others.length === 0 && !isBox(only)
    ? openView(only, { ...options, withLines: true })
    : linesOf(speakers, options)
}

const SILENT: View = {
  closed: new Promise(() => {}),
  print: () => undefined,
  showLines: () => undefined,
  close: async () => undefined,
}

/** The lines of boxes, and of several speakers, each with the speaker's name where there are several. */
function linesOf(speakers: ReadonlyMap<string, Speaker>, options: ViewOptions): View {
  const write = (line: string) => options.stdout.write(line)
  const print = linePrinter(write, options)
  const ends = [...speakers].map(([name, speaker]) => {
    const common = speakers.size === 1 ? {} : { speaker: name }
    if (!isBox(speaker)) return runHeadless(speaker, linePrinter(write, options, common), options)
    const printBox = linePrinter<BoxPrintedLine>(write, options, common)
    return speaker.box.subscribe((item) => {
      const line = lineOf(item, options.packets ?? false)
      if (line) printBox(line, item.atMs)
    })
  })
  return {
    ...SILENT,
    print: (line) => print(line, Date.now()),
    close: async () => {
      for (const end of ends) end()
    },
  }
}

/** Plays a scenario in a view: shows a line per step, and the outcome beside the device. */
export async function playScenario(
  scenario: Scenario,
  { view, ...world }: Omit<ScenarioWorld, 'clock' | 'progress'> & { view: View },
): Promise<Outcome> {
  const lines: string[] = [scenario.about]
  const outcome = await runScenario(scenario, { ...world, clock: systemClock, progress })
  // The outcome repeats the failed step with its reason.
  view.showLines([...(outcome.ok ? lines : lines.slice(0, -1)), ...outcomeOnScreen(scenario, outcome)])
  return outcome

  function progress({ line, text }: PlacedStep, state: StepState): void {
    if (state !== 'begun') lines.pop()
    lines.push(`${SIGNS[state]} ${line}  ${text}`)
    view.showLines([...lines])
    if (state !== 'begun') view.print({ event: 'step', line, step: text, ok: state === 'done' })
  }
}
