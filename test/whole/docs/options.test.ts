import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { guidePages, ROOT } from '../../support/docs/markdown.ts'
import { RUN_INSTEAD } from '../../support/docs/not-run.ts'
import { createShell } from '../../support/docs/shell.ts'
import { temporaryFolder } from '../../support/folder.ts'

const reference = readFileSync(join(ROOT, 'docs/reference.md'), 'utf8')
/** Options that every command has. */
const EVERYWHERE = ['--help', '--json']

/** The part of the reference below a heading. */
function below(heading: string): string {
  return reference.split(`\n${heading}\n`)[1]?.split(/\n#/)[0] ?? ''
}

const optionsIn = (text: string) => [...new Set(text.match(/(?<![\w-])--[a-z][a-z-]*/g))].sort()

async function run(command: string): Promise<string> {
  const shell = await createShell(temporaryFolder(), '')
  const { code, stdout, stderr } = await shell.run(command)
  expect({ code, stdout, stderr }, command).toMatchObject({ code: 0 })
  return stdout
}

describe('the tables of commands are what --help says', () => {
  const rows = [...below('### hub').matchAll(/^\| `([a-z -]+)` \|([^|]*)\|/gm)].map(
    ([, command = '', options = '']) => ({
      command,
      options: optionsIn(options),
    }),
  )

  it.each(rows)('hub $command', async ({ command, options }) => {
    const help = await run(`npm run -s hub -- ${command} --help`)
    expect(help).toContain(`Usage: hub ${command}`)
    const own = optionsIn(help.slice(help.indexOf('Options:')))
    expect(options).toEqual(own.filter((option) => !EVERYWHERE.includes(option)))
  })

  it('hub has no command that the table lacks', async () => {
    const commands = async (group: string) => {
      const help = await run(`npm run -s hub -- ${group} --help`)
      const listed = (help.split('Commands:\n')[1] ?? '').matchAll(/^ {2}([a-z-]+)/gm)
      return [...listed].map(([, name = '']) => name).filter((name) => name !== 'help')
    }
    const top = await commands('')
    const groups = await Promise.all(
      top.map(async (name) => {
        const inner = await commands(name)
        return inner.length === 0 ? [name] : inner.map((one) => `${name} ${one}`)
      }),
    )
    expect(rows.map(({ command }) => command).sort()).toEqual(groups.flat().sort())
  })

  it.each([
    {
      program: 'simulator',
      table: (text: string) => text.slice(0, text.indexOf('`npm run -s simulator -- replay')),
    },
    { program: 'conformance', table: (text: string) => text },
  ])('$program', async ({ program, table }) => {
    const help = await run(`npm run -s ${program} -- --help`)
    const own = optionsIn(help.replaceAll(/simulator (--fleet|replay) --help/g, ''))
    const isOwn = (option: string) => option !== '--help'
    expect(optionsIn(table(below(`### ${program}`))).filter(isOwn)).toEqual(own.filter(isOwn))
  })
})

describe('the commands within the lines of README and docs work', () => {
  const spans = guidePages().flatMap((page) => page.spans)
  const asked = spans.filter((span) => /^npm .*--help$/.test(span))
  it.each([...new Set([...asked, ...RUN_INSTEAD.map(({ run }) => run)])])('%s', async (command) => {
    expect(await run(command)).not.toBe('')
  })
})
