import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../../../support/docs/markdown.ts'
import { temporaryFolder } from '../../../../support/folder.ts'
import { startTestHub, type TestHub } from '../../../../support/hub.ts'
import { start } from '../../../../support/processes/process.ts'
import { TEST_MASTER_KEY } from '../../../../support/storage.ts'

const PAGE = readFileSync(join(ROOT, 'simulator/run/fleet/README.md'), 'utf8')
/** The commands of the page, without their comments. */
const EXAMPLES = [...PAGE.matchAll(/^npm run -s simulator -- (.*?)(?: +#.*)?$/gm)].map(
  ([, args = '']) => args,
)
const SPEAKERS = 4
/** Fleets that run at the same time: each waits for most of its time. */
const AT_ONCE = 4

const withoutHaste = (text: string) => text.replace(/(Ms\.\w+ <) \d+/g, '$1 600000')

/** A copy of a scenario with short stages, few payments, and limits that a busy machine reaches, too. */
function shortScenario(file: string, folder: string): string {
  const copy = join(folder, basename(file))
  const text = readFileSync(join(ROOT, file), 'utf8')
    .replace(/(for|hold|pause): \w+/g, '$1: 300ms')
    .replace(/(pay|ramp|spike): (\d+)/g, (_, what, rate) => `${what}: ${Math.ceil(rate / 20)}`)
  writeFileSync(copy, withoutHaste(text))
  return copy
}

/** A smaller fleet, a shorter run, and times that a busy machine reaches, too. */
function shortened(example: string, folder: string): string[] {
  const args = withoutHaste(example)
    .replace(/--fleet \d+/, `--fleet ${SPEAKERS}`)
    .replace(/--skip \d+/, `--skip ${SPEAKERS}`)
    .replace(/--pay \d+/, '--pay 4')
    // A small share of four speakers is one of them, which may get all payments.
    .replace(/--expect-heard \d+/, '--expect-heard 0')
    .replace(/--payments \d+/, '--payments 4')
    .replace(/--duration \w+/, '--duration 1s')
    .replace(/--scenario (\S+)/, (_, file) => `--scenario ${shortScenario(file, folder)}`)
    .replace(/ --(url|http) \S+/g, '')
    .replace(/\b\w+\.(json|jsonl|csv|xml)\b/g, (file) => join(folder, file))
  const words = [...args.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')
  const needsEnd = !/--payments|--duration|--scenario|^merge/.test(args)
  return [
    ...words,
    ...(words.includes('--headless') ? [] : ['--headless']),
    ...(needsEnd ? ['--duration', '1s'] : []),
  ]
}

/** What the page takes for granted: devices in a file, and a partner. */
async function prepare(hub: TestHub, folder: string) {
  const minted = await Promise.all(Array.from({ length: 2 * SPEAKERS }, () => hub.device()))
  writeFileSync(join(folder, 'devices.jsonl'), minted.map((device) => `${JSON.stringify(device)}\n`).join(''))
  const { clientId, clientSecret } = await hub.partner('Fleets')
  return { CLIENT_ID: clientId, CLIENT_SECRET: clientSecret }
}

it('shows a scenario as it is', () => {
  const shown = /```yaml\n(.*?)```/s.exec(PAGE)?.[1]
  expect(shown).toBe(readFileSync(join(ROOT, 'simulator/run/fleet/scenario/lunch.yaml'), 'utf8'))
})

it('has examples that a healthy hub passes', async () => {
  expect(EXAMPLES.length).toBeGreaterThan(9)
  const hub = await startTestHub({
    env: { HUB_RATE_PER_SECOND: '1000', HUB_RATE_BURST: '1000', HUB_BOX_PORT: '0' },
  })
  const folder = temporaryFolder()
  const partner = await prepare(hub, folder)
  const own = { HUB_DATA_DIR: hub.dataDir, HUB_MASTER_KEY: TEST_MASTER_KEY.toString('base64') }

  async function passes(example: string, index: number): Promise<void> {
    const pays = /--pay |--scenario /.test(example)
    // Each has devices of its own.
    const given = [
      '--url',
      hub.mqtt,
      ...(pays ? ['--http', hub.http] : []),
      '--state',
      join(folder, `${index}`),
    ]
    const { code, stdout, stderr } = await start(
      process.execPath,
      [
        ...['--import', 'tsx', 'simulator/main.ts', ...shortened(example, folder)],
        ...(example.startsWith('merge') ? [] : given),
      ],
      example.includes('--devices') ? { ...own, ...partner } : own,
    ).ended
    const { problems, failures } = Object(JSON.parse(stdout.trimEnd().split('\n').at(-1) || '{}'))
    expect({ code, stderr, problems }, `${example}: ${JSON.stringify(failures)}`).toEqual({
      ...{ code: 0, stderr: '', problems: [] },
    })
  }

  const fleets = EXAMPLES.filter((example) => example.startsWith('--fleet')).entries()
  const some = async () => {
    for (const [index, example] of fleets) await passes(example, index)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, some))
  // What merges reports comes after the fleets that write them.
  for (const example of EXAMPLES.filter((one) => one.startsWith('merge'))) await passes(example, 0)
})
