import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../../../support/docs/markdown.ts'
import { temporaryFolder } from '../../../../support/folder.ts'
import { startTestHub } from '../../../../support/hub.ts'
import { start } from '../../../../support/processes/process.ts'
import { TEST_MASTER_KEY } from '../../../../support/storage.ts'

const PAGE = readFileSync(join(ROOT, 'simulator/run/fleet/README.md'), 'utf8')
/** The commands of the page that start a fleet, without their comments. */
const EXAMPLES = [...PAGE.matchAll(/^npm run -s simulator -- (--fleet .*?)(?: +#.*)?$/gm)].map(
  ([, args = '']) => args,
)

/** A copy of a scenario with short stages, few payments, and limits that a busy machine reaches, too. */
function shortScenario(file: string, folder: string): string {
  const copy = join(folder, basename(file))
  const text = readFileSync(join(ROOT, file), 'utf8')
    .replace(/(for|hold|pause): \w+/g, '$1: 300ms')
    .replace(/(pay|ramp|spike): (\d+)/g, (_, what, rate) => `${what}: ${Math.ceil(rate / 20)}`)
  writeFileSync(copy, withoutHaste(text))
  return copy
}

const withoutHaste = (text: string) => text.replace(/(Ms\.\w+ <) \d+/g, '$1 600000')

/** A smaller fleet, a shorter run, and times that a busy machine reaches, too. */
function shortened(example: string, folder: string): string[] {
  const args = withoutHaste(example)
    .replace(/--fleet \d+/, '--fleet 4')
    .replace(/--pay \d+/, '--pay 4')
    // A large share of four speakers is one of them, or two.
    .replace(/--expect-heard \d+/, '--expect-heard 1')
    .replace(/--payments \d+/, '--payments 4')
    .replace(/--duration \w+/, '--duration 1s')
    .replace(/--scenario (\S+)/, (_, file) => `--scenario ${shortScenario(file, folder)}`)
    .replace(/(--(?:report|csv|junit)) (\S+)/g, (_, option, file) => `${option} ${join(folder, file)}`)
  const words = [...args.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')
  const needsEnd = !/--payments|--duration|--scenario/.test(args)
  return [
    ...words,
    ...(words.includes('--headless') ? [] : ['--headless']),
    ...(needsEnd ? ['--duration', '1s'] : []),
  ]
}

it('there are examples', () => expect(EXAMPLES.length).toBeGreaterThan(4))

it('the page shows a scenario as it is', () => {
  const shown = /```yaml\n(.*?)```/s.exec(PAGE)?.[1]
  expect(shown).toBe(readFileSync(join(ROOT, 'simulator/run/fleet/scenario/lunch.yaml'), 'utf8'))
})

it.each(EXAMPLES)('a healthy hub passes: %s', async (example) => {
  const hub = await startTestHub({ env: { HUB_RATE_PER_SECOND: '1000', HUB_RATE_BURST: '1000' } })
  const env = { HUB_DATA_DIR: hub.dataDir, HUB_MASTER_KEY: TEST_MASTER_KEY.toString('base64') }
  const addresses = ['--url', hub.mqtt, ...(/--pay |--scenario /.test(example) ? ['--http', hub.http] : [])]
  const args = [...shortened(example, temporaryFolder()), ...addresses]
  const { code, stdout, stderr } = await start(
    process.execPath,
    ['--import', 'tsx', 'simulator/main.ts', ...args],
    env,
  ).ended
  const report = Object(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '{}'))
  expect({ code, stderr, problems: report.problems }).toEqual({ code: 0, stderr: '', problems: [] })
})
