import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { sizeOf } from '../../../../server/operate/size.ts'
import { readPage } from '../../../support/docs/markdown.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { hubCommand } from '../../../support/hub-command.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

/** Runs the command as on a terminal. */
const hubSize = (...args: string[]) => hubCommand(['size', ...args], { onTerminal: true })

const ASKED = ['--shops', '200000', '--payments-a-day', '40']

it('prints every term as JSON, with the defaults of the options', async () => {
  const { out, code } = await hubSize(...ASKED, '--json')
  const fleet = {
    ...{ shops: 200_000, paymentsADay: 40, speakersAShop: 1, peak: 10, keepDays: 365, webhooks: 0 },
    ...{ standbys: 2, headroom: 0.5, spareHubs: 1 },
  }
  expect(code).toBe(undefined)
  expect(out.split('\n')).toHaveLength(2)
  expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(sizeOf(fleet))))
})

it('takes an option for everything that changes the answer', async () => {
  const options = {
    ...{ speakersAShop: 2, peak: 4.5, keepDays: 90, webhooks: 1, standbys: 1, headroom: 0.25, spareHubs: 2 },
    postgres: true,
  }
  const { out } = await hubSize(
    ...[...ASKED, '--speakers-a-shop', '2', '--peak', '4.5', '--keep-days', '90', '--webhooks', '1'],
    ...['--standbys', '1', '--headroom', '0.25', '--spare-hubs', '2', '--postgres', '--json'],
  )
  expect(JSON.parse(out).fleet).toEqual({ shops: 200_000, paymentsADay: 40, ...options })
})

it.each([
  { args: ['--shops', '5000', '--payments-a-day', '40'], verdict: 'one hub on SQLite' },
  { args: [...ASKED], verdict: 'several hubs on PostgreSQL' },
  { args: ['--shops', '5000000', '--payments-a-day', '40'], verdict: 'more than one database: ' },
])('says for a person what is needed: $verdict', async ({ args, verdict }) => {
  const { out, err, code } = await hubSize(...args)
  expect({ err, code }).toEqual({ err: '', code: undefined })
  expect(out).toMatch(new RegExp(`^ {2}verdict +${verdict}`, 'm'))
  expect(out).toMatch(/^When the load doubles, .+: .+ used\. Then [a-z].+\.$/m)
  expect(out).toContain('\nBeyond what was measured: ')
  expect(out).not.toMatch(/NaN|undefined|Infinity/)
})

it('needs no hub, no data folder and no database, and makes none', async () => {
  const dataDir = join(temporaryFolder(), 'data')
  vi.stubEnv('HUB_DATA_DIR', dataDir)
  vi.stubEnv('HUB_DATABASE_URL', 'postgres://127.0.0.1:1/nowhere')
  expect((await hubSize(...ASKED)).code).toBe(undefined)
  expect(existsSync(dataDir)).toBe(false)
})

describe('a wrong option is refused with a sentence', () => {
  it.each([
    { args: ['--payments-a-day', '40'], says: "required option '--shops <number>' not specified" },
    { args: ['--shops', '10'], says: "required option '--payments-a-day <number>' not specified" },
    { args: ['--shops', '0'], says: 'Give a whole number from 1 to 10000000.' },
    { args: ['--shops', '1.5'], says: 'Give a whole number from 1 to 10000000.' },
    { args: ['--shops', 'many'], says: 'Give a whole number from 1 to 10000000.' },
    {
      args: ['--payments-a-day', '8000000'],
      says: 'Give a number from 0.01 to 28800: the payments of one shop, of which a speaker says at most one in 3 s.',
    },
    { args: ['--payments-a-day', '-1'], says: 'Give a number from 0.01 to 28800' },
    { args: ['--speakers-a-shop', '0'], says: 'Give a whole number from 1 to 20.' },
    { args: ['--peak', '0.5'], says: 'Give a number from 1 to 100.' },
    { args: ['--keep-days', '0'], says: 'Give a whole number from 1 to 36500.' },
    { args: ['--webhooks', '1e3'], says: 'Give a whole number from 0 to 20.' },
    { args: ['--standbys', '-1'], says: 'Give a whole number from 0 to 20.' },
    { args: ['--headroom', '1'], says: 'Give a number from 0 to 0.9.' },
    { args: ['--spare-hubs', ''], says: 'Give a whole number from 0 to 20.' },
  ])('$args', async ({ args, says }) => {
    const { out, err, code } = await hubSize(...args)
    expect({ out, code }).toEqual({ out: '', code: 2 })
    expect(err).toContain(says)
  })
})

describe('an example of docs/scale.md is what the command prints', () => {
  const { fences } = readPage('docs/scale.md')
  const examples = fences.flatMap(({ code }, index) => {
    const [, options] = /^npm run -s hub -- size (.*)\n$/.exec(code) ?? []
    return options === undefined ? [] : [{ options, printed: fences[index + 1]?.code }]
  })

  it('has examples', () => expect(examples).not.toEqual([]))

  it.each(examples)('size $options', async ({ options, printed }) => {
    expect((await hubSize(...options.split(' '))).out).toBe(printed)
  })
})
