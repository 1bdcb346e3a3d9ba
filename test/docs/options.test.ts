import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readCli as readConformance } from '../../protocol/conformance/cli.ts'
import { readCli as readSimulator } from '../../simulator/run/cli/cli.ts'
import { ROOT } from '../support/docs/markdown.ts'
import { hubCommand } from '../support/hub-command.ts'

const reference = readFileSync(join(ROOT, 'docs/reference.md'), 'utf8')
/** Options that every command has. */
const EVERYWHERE = ['--help', '--json', '--tz']

/** The part of the reference below a heading. */
function below(heading: string): string {
  return reference.split(`\n${heading}\n`)[1]?.split(/\n#/)[0] ?? ''
}

const optionsIn = (text: string) => [...new Set(text.match(/(?<![\w-])--[a-z][a-z-]*/g))].sort()

/** What the command line of the hub prints, in this process: there are many commands. */
async function hubHelp(command = ''): Promise<string> {
  return (await hubCommand([...command.split(' ').filter(Boolean), '--help'])).out
}

describe('the tables of commands are what --help says', () => {
  const rows = [...below('### hub').matchAll(/^\| `([a-z -]+)` \|([^|]*)\|/gm)].map(
    ([, command = '', options = '']) => ({ command, options: optionsIn(options) }),
  )

  it.each(rows)('hub $command', async ({ command, options }) => {
    const help = await hubHelp(command)
    expect(help).toContain(`Usage: hub ${command}`)
    const own = optionsIn(help.slice(help.indexOf('Options:')))
    expect(options).toEqual(own.filter((option) => !EVERYWHERE.includes(option)))
  })

  it('hub has no command that the table lacks', async () => {
    async function commands(group = ''): Promise<string[]> {
      const listed = ((await hubHelp(group)).split('Commands:\n')[1] ?? '').matchAll(/^ {2}([a-z-]+)/gm)
      const names = [...listed].map(([, name]) => name).filter((name) => name !== 'help')
      if (names.length === 0) return [group]
      const inner: string[] = []
      for (const name of names) inner.push(...(await commands(`${group} ${name}`.trim())))
      return inner
    }
    expect(rows.map(({ command }) => command).sort()).toEqual((await commands()).sort())
  })

  it.each([
    {
      program: 'simulator',
      read: readSimulator,
      table: (text: string) => text.slice(0, text.indexOf('`npm run -s simulator -- replay')),
    },
    { program: 'conformance', read: readConformance, table: (text: string) => text },
  ])('$program', ({ program, read, table }) => {
    let help = ''
    const out = (text: string) => {
      help += text
    }
    expect(read(['--help'], {}, { out, err: out })).toEqual({ kind: 'exit', code: 0 })
    const own = optionsIn(help.replaceAll(/simulator (--fleet|--dialect|merge|replay) --help/g, ''))
    const isOwn = (option: string) => option !== '--help'
    expect(optionsIn(table(below(`### ${program}`))).filter(isOwn)).toEqual(own.filter(isOwn))
  })
})
