import { parseArgs } from 'node:util'
import { ATTACKS, type NamedAttack } from './attacks/attacks.ts'
import { runMixed } from './mixed.ts'
import { type Gang, startGang } from './parts/gang.ts'
import { openTown, type Town } from './parts/town.ts'
import { runAttacks } from './run.ts'
import { asJson, HEADINGS, rowsOf } from './table.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    seconds: { type: 'string', default: '12' },
    mixed: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const CALM_SECONDS = 6
const BACKLOG = { speakers: 1, missed: 50_000 }

const say = (line: string) => process.stdout.write(`${line}\n`)
const tell = (line: string) => process.stderr.write(`${line}\n`)

function usage(): string {
  const list = ATTACKS.map(({ name, what }) => `  ${name.padEnd(16)} ${what}`).join('\n')
  return `npm run attack -- [--only NAME]... [--seconds 12] [--json]\nnpm run attack -- --mixed [--minutes 30] [--seed 1]\n\n${list}`
}

async function inTurn(stage: { town: Town; gang: Gang }, chosen: readonly NamedAttack[]): Promise<boolean> {
  let isBroken = false
  if (!values.json) say(HEADINGS)
  const options = { seconds: Number(values.seconds), calmSeconds: CALM_SECONDS, seed: Number(values.seed) }
  for await (const result of runAttacks(stage, chosen, options)) {
    isBroken ||= result.broken.length > 0
    if (values.json) say(asJson(result))
    else for (const row of rowsOf(result)) say(row)
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
  const closers: (() => void | Promise<void>)[] = []
  try {
    const town = await openTown({ backlog: BACKLOG }, (close) => void closers.push(close))
    const gang = startGang()
    closers.push(() => gang.stop())
    const chosen = ATTACKS.filter(({ name }) => values.only.length === 0 || values.only.includes(name))
    const isBroken = values.mixed
      ? await runMixed(
          { town, gang },
          chosen,
          { minutes: Number(values.minutes), seed: Number(values.seed) },
          say,
        )
      : await inTurn({ town, gang }, chosen)
    return isBroken ? 1 : 0
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

process.exitCode = await main()
