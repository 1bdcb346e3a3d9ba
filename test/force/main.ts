import { parseArgs } from 'node:util'
import type { Outcome, Scenario } from './scenario.ts'
import { SCENARIOS } from './scenarios.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    times: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

const say = (line: string) => process.stdout.write(`${line}\n`)
const tell = (line: string) => process.stderr.write(`${line}\n`)

/** Runs a scenario and then its close functions, the last first. */
async function perform(one: Scenario, times?: number): Promise<Outcome> {
  const closers: (() => void | Promise<void>)[] = []
  try {
    const stage = {
      onEnd: (close: () => void | Promise<void>) => void closers.push(close),
      say: (line: string) => tell(`  ${line}`),
    }
    return await one.run(values.quick ? 'quick' : 'full', stage, times)
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

function show(name: string, promise: string, outcome: Outcome, seconds: number) {
  if (outcome.kind === 'skipped') {
    say(`${name}: skipped, because ${outcome.why}\n`)
    return
  }
  const { did, figures, broken } = outcome
  say(`${name}: ${broken.length === 0 ? 'held' : 'BROKEN'} (${seconds} s)`)
  say(`  promise   ${promise}`)
  say(`  done      ${did}`)
  for (const [figure, value] of Object.entries(figures)) say(`  ${figure.padEnd(48)} ${value}`)
  for (const line of broken) say(`  BROKEN    ${line}`)
  say('')
}

function usage(): string {
  const list = SCENARIOS.map(({ name, promise }) => `  ${name.padEnd(12)} ${promise}`).join('\n')
  return `npm run force -- [--quick] [--times N] [NAME ...]\n\n${list}`
}

/** 0 when every promise held, 1 when one broke, 2 for wrong usage. */
async function main(): Promise<number> {
  if (values.help) {
    say(usage())
    return 0
  }
  const unknown = positionals.filter((name) => !SCENARIOS.some((one) => one.name === name))
  if (unknown.length > 0) {
    tell(`There is no scenario ${unknown.join(', ')}.\n\n${usage()}`)
    return 2
  }
  const chosen = SCENARIOS.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  const times = values.times === undefined ? undefined : Number(values.times)
  if (times !== undefined && !(Number.isInteger(times) && times > 0)) {
    tell(`--times takes a whole number from 1.\n\n${usage()}`)
    return 2
  }
  const once = chosen.filter(({ isRepeated }) => times !== undefined && !isRepeated)
  if (once.length > 0) {
    tell(`--times is not for ${once.map(({ name }) => name).join(', ')}.\n\n${usage()}`)
    return 2
  }
  let isBroken = false
  for (const one of chosen) {
    tell(`${one.name} …`)
    const startedAt = performance.now()
    const outcome = await perform(one, times)
    isBroken ||= outcome.kind === 'done' && outcome.broken.length > 0
    show(one.name, one.promise, outcome, Math.round((performance.now() - startedAt) / 1000))
  }
  return isBroken ? 1 : 0
}

process.exitCode = await main()
