import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { chooseEdits } from './choose.ts'
import { keyOf } from './edit.ts'
import { isCaught } from './outcome.ts'
import { scopeOf } from './scope.ts'
import { COUNT, ROOT, SEED } from './settings.ts'
import { lineOf, summaryOf } from './table.ts'
import { tryAll } from './try-all.ts'

const USAGE = `npm run -s conformance:mutations -- [--all] [--count N] [--seed N] [--only TEXT] [--escaped]

  --all      every edit, not a choice of them
  --count    how many are chosen, default ${COUNT}
  --seed     the choice, default ${SEED}
  --only     every edit with this text in its file or its code
  --escaped  print only those that escape
  --left-out print why the other edits make no faulty speaker, and run nothing
`

const { values } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    count: { type: 'string', default: String(COUNT) },
    seed: { type: 'string', default: String(SEED) },
    only: { type: 'string', default: '' },
    escaped: { type: 'boolean', default: false },
    'left-out': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

/** 0 when at least 95 % are caught, 1 when fewer are. */
async function main(): Promise<number> {
  if (values.help) {
    process.stdout.write(USAGE)
    return 0
  }
  const scope = scopeOf(ROOT)
  if (values['left-out']) {
    for (const [why, some] of scope.leftOut) process.stdout.write(`${some.length} left out: ${why}\n`)
    return 0
  }
  const all = scope.edits.filter((edit) => keyOf(edit).includes(values.only))
  const edits =
    values.all || values.only !== '' ? all : chooseEdits(all, Number(values.count), Number(values.seed))
  const tried = await tryAll(edits, {
    threads: availableParallelism(),
    onTried: (one) => {
      if (!values.escaped || !isCaught(one)) process.stdout.write(`${lineOf(one)}\n`)
    },
  })
  process.stdout.write(summaryOf(tried))
  return tried.filter(isCaught).length >= 0.95 * tried.length ? 0 : 1
}

process.exitCode = await main()
