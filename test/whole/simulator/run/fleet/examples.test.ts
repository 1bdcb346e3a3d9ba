import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../../../support/docs/markdown.ts'
import { temporaryFolder } from '../../../../support/folder.ts'
import { startTestHub } from '../../../../support/hub.ts'
import { start } from '../../../../support/processes/process.ts'
import { TEST_MASTER_KEY } from '../../../../support/storage.ts'

/** The commands of the page that start a fleet, without their comments. */
const EXAMPLES = [
  ...readFileSync(join(ROOT, 'simulator/run/fleet/README.md'), 'utf8').matchAll(
    /^npm run -s simulator -- (--fleet .*?)(?: +#.*)?$/gm,
  ),
].map(([, args = '']) => args)

/** A smaller fleet, a shorter run, and times that a busy machine reaches, too. */
function shortened(example: string, folder: string): string[] {
  const args = example
    .replace(/--fleet \d+/, '--fleet 4')
    .replace(/--pay \d+/, '--pay 4')
    .replace(/--payments \d+/, '--payments 4')
    .replace(/--duration \w+/, '--duration 1s')
    .replace(/(Ms\.\w+ <) \d+/g, '$1 600000')
    .replace(/(--(?:report|csv|junit)) (\S+)/g, (_, option, file) => `${option} ${join(folder, file)}`)
  const words = [...args.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')
  const needsEnd = !/--payments|--duration/.test(args)
  return [
    ...words,
    ...(words.includes('--headless') ? [] : ['--headless']),
    ...(needsEnd ? ['--duration', '1s'] : []),
  ]
}

it('there are examples', () => expect(EXAMPLES.length).toBeGreaterThan(3))

it.each(EXAMPLES)('a healthy hub passes: %s', async (example) => {
  const hub = await startTestHub({ env: { HUB_RATE_PER_SECOND: '1000', HUB_RATE_BURST: '1000' } })
  const env = { HUB_DATA_DIR: hub.dataDir, HUB_MASTER_KEY: TEST_MASTER_KEY.toString('base64') }
  const addresses = ['--url', hub.mqtt, ...(example.includes('--pay ') ? ['--http', hub.http] : [])]
  const args = [...shortened(example, temporaryFolder()), ...addresses]
  const { code, stdout, stderr } = await start(
    process.execPath,
    ['--import', 'tsx', 'simulator/main.ts', ...args],
    env,
  ).ended
  const report = Object(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '{}'))
  expect({ code, stderr, problems: report.problems }).toEqual({ code: 0, stderr: '', problems: [] })
})
