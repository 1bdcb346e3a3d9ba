import { describeBoxEvent } from '../../../boxes/screen/log-text.ts'
import { shortened } from '../../../screen/drawing/text.ts'
import { describeEvent } from '../../../screen/log/event-text.ts'
import type { PlacedStep, Scenario } from '../file/load.ts'
import type { LoggedEvent } from '../play/event-log.ts'
import type { Outcome } from '../play/run.ts'

/** Enough to see the cause, few enough to read. */
const MOST_EVENTS = 12
const MOST_OF_OTHERS = 6

/** The outcome of a scenario in lines. */
export function describeOutcome(scenario: Scenario, outcome: Outcome): string[] {
  if (outcome.ok) return [`${scenario.file}: every step passed, in ${seconds(outcome.ms)}.`]
  const { step, reason, seen } = outcome
  const { startedAtMs, since, all, others } = seen
  const describe = (events: readonly LoggedEvent[], most = MOST_EVENTS) =>
    events.length === 0 ? ['  nothing'] : events.slice(-most).map((one) => describeLogged(one, startedAtMs))
  const own = [
    'Since the last matched event:',
    ...describe(since),
    'Before it:',
    ...describe(all.slice(0, all.length - since.length)),
  ]
  // A step of no speaker, where there are several, has no events of its own.
  const isOfSpeaker = others.length < scenario.speakers.length
  return [
    `${place(scenario, step)}: ${step.text}`,
    ...reason.split('\n').map((line) => `  ${line.replace(/\.$/, '')}.`),
    ...(isOfSpeaker ? own : []),
    ...others.flatMap(({ name, all }) => [`At ${name}:`, ...describe(all, MOST_OF_OTHERS)]),
  ]
}

/** Limits that let step and reason fit into the four rows of a small screen. */
const SHOWN = { events: 3, step: 90, reason: 100 }

/** The outcome for a screen, which keeps the last lines: they are the step and the reason. */
export function outcomeOnScreen(scenario: Scenario, outcome: Outcome): string[] {
  if (outcome.ok) return [...describeOutcome(scenario, outcome), 'Press q to quit.']
  const { step, reason, seen } = outcome
  const events = seen.all.slice(-SHOWN.events)
  return [
    ...(events.length === 0 ? [] : ['Last seen:']),
    ...events.map((one) => `• ${one.isOfBox ? describeBoxEvent(one.event) : describeEvent(one.event)}`),
    shortened(breakable(`✗ line ${step.line}: ${step.text}`), SHOWN.step),
    shortened(breakable(inOneLine(reason)), SHOWN.reason),
  ]
}

/** JSON with spaces where a row may break. */
function breakable(text: string): string {
  return text.replace(/(":|,)(?=[\w"{[-])/g, '$1 ')
}

/** The failure as one sentence. */
export function reasonOf(outcome: Outcome & { ok: false }, scenario: Scenario): string {
  return `${place(scenario, outcome.step)}: ${outcome.step.text}: ${inOneLine(outcome.reason)}`
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`
}

function place({ file }: Scenario, { line }: PlacedStep): string {
  return `${file}:${line}`
}

function describeLogged({ atMs, event }: LoggedEvent, startedAtMs: number): string {
  return `  +${seconds(atMs - startedAtMs).padStart(8)}  ${JSON.stringify(event)}`
}

function inOneLine(reason: string): string {
  return reason.replaceAll('\n', ' ')
}
