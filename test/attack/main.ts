import { parseArgs } from 'node:util'
import { ATTACKS, type NamedAttack } from './attacks/attacks.ts'
import { runMixed } from './mixed.ts'
import { type Gang, startGang } from './parts/gang.ts'
import { missingFor } from './parts/missing.ts'
import { openTown, type Town } from './parts/town.ts'
import { runAttacks } from './run.ts'
import { HEADINGS, rowsOf } from './table.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    seconds: { type: 'string', default: '12' },
    mixed: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
})

const CALM_SECONDS = 6
const BACKLOG = { speakers: 1, missed: 50_000 }
const NO_BACKLOG = { speakers: 0, missed: 0 }

const say = (line: string) => process.stdout.write(`${line}\n`)
const tell = (line: string) => process.stderr.write(`${line}\n`)

function usage(): string {
  const list = ATTACKS.map(({ name, what }) => `  ${name.padEnd(16)} ${what}`).join('\n')
  return `npm run attack -- [--only NAME]... [--seconds 12]\nnpm run attack -- --mixed [--minutes 30] [--seed 1]\n\n${list}`
}

interface Stage {
  town: Town
  gang: Gang
}

/** Opens a hub, a victim and the attackers, and closes them after the act. */
async function onStage<T>(isProxied: boolean, act: (stage: Stage) => Promise<T>): Promise<T> {
  const closers: (() => void | Promise<void>)[] = []
  try {
    const backlog = isProxied ? NO_BACKLOG : BACKLOG
    const town = await openTown({ backlog, isProxied }, (close) => void closers.push(close))
    const gang = startGang()
    closers.push(() => gang.stop())
    return await act({ town, gang })
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

async function inTurn(stage: Stage, chosen: readonly NamedAttack[]): Promise<boolean> {
  let isBroken = false
  const options = { seconds: Number(values.seconds), calmSeconds: CALM_SECONDS, seed: Number(values.seed) }
  for await (const result of runAttacks(stage, chosen, options)) {
    isBroken ||= result.broken.length > 0
    for (const row of rowsOf(result)) say(row)
  }
  return isBroken
}

/** 0 when the victim noticed nothing, 1 when it did, 2 for wrong usage. */
async function main(): Promise<number> {
  if (values.help) {
    say(usage())
    return 0
  }
  const unknown = values.only.filter((name) => !ATTACKS.some((one) => one.name === name))
  const numbers = [values.seconds, values.minutes, values.seed].map(Number)
  if (unknown.length > 0 || numbers.some((number) => !(number > 0))) {
    tell(unknown.length > 0 ? `There is no attack ${unknown.join(', ')}.\n` : 'A number is above 0.\n')
    tell(usage())
    return 2
  }
  const chosen = ATTACKS.filter(({ name }) => values.only.length === 0 || values.only.includes(name))
  const able = chosen.filter((attack) => missingFor(attack) === undefined)
  for (const attack of chosen)
    if (!able.includes(attack)) tell(`${attack.name}: skipped, ${missingFor(attack)}`)
  const [direct, proxied] = [able.filter((one) => !one.isProxied), able.filter((one) => one.isProxied)]
  if (values.mixed) {
    const options = { minutes: Number(values.minutes), seed: Number(values.seed) }
    return (await onStage(false, (stage) => runMixed(stage, direct, options, say))) ? 1 : 0
  }
  say(HEADINGS)
  let isBroken = false
  for (const attacks of [direct, proxied])
    if (attacks.length > 0)
      isBroken = (await onStage(attacks === proxied, (stage) => inTurn(stage, attacks))) || isBroken
  return isBroken ? 1 : 0
}

process.exitCode = await main()
