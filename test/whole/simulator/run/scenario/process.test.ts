import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { headlessValidator } from '../../../../simulator/support/headless-validator.ts'
import { junitMistakes, parseXml } from '../../../../simulator/support/junit-schema.ts'
import { PATIENT_WITHIN, patientCopy } from '../../../../simulator/support/patient.ts'
import { temporaryFolder } from '../../../../support/folder.ts'
import { findPostgres } from '../../../../support/processes/postgres.ts'
import { start } from '../../../../support/processes/process.ts'
import { until } from '../../../../support/wait.ts'

const MAIN = fileURLToPath(new URL('../../../../../simulator/main.ts', import.meta.url))
const SHIPPED = fileURLToPath(new URL('../../../../../simulator/scenarios/', import.meta.url))
/** On one line, however slow the machine is. */
const CONNECTED = `{ expect: connected, within: ${PATIENT_WITHIN} }`
const hasPostgres = (await findPostgres()) !== undefined

/** Plays scenarios as a command, with temporary files in a folder that must be empty afterwards. */
async function play(args: string[], env: Record<string, string> = {}) {
  const temporary = temporaryFolder()
  // PostgreSQL does not run as root: another user must reach its folder.
  chmodSync(temporary, 0o711)
  const { child, ended } = start(process.execPath, ['--import', 'tsx', MAIN, ...args, '--with-hub'], {
    TMPDIR: temporary,
    ...env,
  })
  child.stdin?.end()
  const { code, stdout, stderr } = await ended
  // tsx keeps its cache there.
  const left = readdirSync(temporary).filter((name) => name.startsWith('soundbox'))
  return { code, left, lines: stdout.trimEnd().split('\n'), stderr }
}

/** A folder of scenarios: shipped ones by name, and others by their steps. */
function folderOf(shipped: string[], own: Record<string, string> = {}): string {
  const folder = temporaryFolder()
  for (const name of shipped) patientCopy(join(SHIPPED, `${name}.yaml`), folder)
  for (const [name, steps] of Object.entries(own))
    writeFileSync(join(folder, `${name}.yaml`), `about: A test.\nsteps:\n${steps}`)
  return folder
}

it('these are the scenarios of boxes, and those that end a hub, which are played here', () => {
  const names = readdirSync(SHIPPED).flatMap((file) => /^(.*)\.yaml$/.exec(file)?.[1] ?? [])
  const ending = names.filter((name) =>
    / hub: |dialect: /.test(readFileSync(join(SHIPPED, `${name}.yaml`), 'utf8')),
  )
  expect(ending).toEqual(['box-dies', 'box-keypad', 'hub-killed', 'two-hubs'])
})

describe('a folder of scenarios', () => {
  it('is played by one process, each as if it were alone, and the results are told and written', async () => {
    const folder = folderOf(['box-dies', 'box-keypad', 'hub-killed', 'neighbour', 'two-speakers'], {
      'a-fails': `  - ${CONNECTED}\n  - pay: "50000"\n  - expect: announce\n    within: 20ms\n`,
      'b-ends': `  - ${CONNECTED}
  - hub: freeze
  - hub: thaw
  - hub: stop
  - { expect: disconnected, within: ${PATIENT_WITHIN} }
  - hub: start
  - press: reconnect
  - ${CONNECTED}
  - hub: kill
`,
      // It finds the hub running, though the one before has ended it.
      'c-starts': `  - ${CONNECTED}\n  - hub: start\n`,
    })
    const report = join(folder, 'out', 'report.xml')
    const { code, lines, stderr, left } = await play(['--scenario', folder, '--junit', report])
    expect(lines.map((line) => line.replace(`${folder}/`, '').replace(/ +[\d.]+ s\.?$/, ''))).toEqual([
      '✗ a-fails.yaml',
      '✓ b-ends.yaml',
      '✓ box-dies.yaml',
      '✓ box-keypad.yaml',
      '✗ c-starts.yaml',
      '✓ hub-killed.yaml',
      '✓ neighbour.yaml',
      '✓ two-speakers.yaml',
      '8 scenarios: 6 passed, 2 failed, in',
    ])
    expect(stderr).toMatch(/a-fails\.yaml:4: pay: "50000"\n {2}.*40016/)
    expect(stderr).toMatch(/c-starts\.yaml:4: hub: start\n {2}hub 1 is up\./)
    expect([code, left]).toEqual([1, []])

    const root = parseXml(readFileSync(report, 'utf8'))
    expect(junitMistakes(root)).toEqual([])
    const [suite] = root.children
    expect(suite?.attributes).toMatchObject({
      name: folder,
      tests: '8',
      failures: '2',
      errors: '0',
      skipped: '0',
    })
    expect(
      suite?.children.filter(({ children }) => children.length > 0).map(({ attributes }) => attributes.name),
    ).toEqual(['a-fails', 'c-starts'])
  })

  it('with a wrong file is not played: every mistake is told', async () => {
    const folder = folderOf(['muted'], { a: '  - expct: connected\n', b: '  - wait: 5\n' })
    const report = join(folder, 'report.xml')
    const { code, lines, stderr, left } = await play(['--scenario', folder, '--junit', report])
    expect([code, lines, left]).toEqual([2, [''], []])
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/a\.yaml:3: step 1: there is no step "expct"; did you mean "expect"\?/),
      expect.stringMatching(/b\.yaml:3: step 1, wait: write a duration/),
    ])
    const root = parseXml(readFileSync(report, 'utf8'))
    expect(junitMistakes(root)).toEqual([])
    expect(root.attributes).toMatchObject({ tests: '3', failures: '0', errors: '2' })
  })

  it('as lines of JSON names speakers and files, and every line matches the schema', async () => {
    const folder = folderOf(['two-speakers', 'refusals'])
    const { code, lines, stderr } = await play(['--headless', '--scenario', folder])
    expect([code, stderr]).toEqual([0, ''])
    const events = lines.map((line): Record<string, unknown> => Object(JSON.parse(line)))
    const validate = headlessValidator()
    for (const line of events) expect([line, validate(line) || validate.errors]).toEqual([line, true])
    const announced = events.filter(({ event, speaker }) => event === 'announce' && speaker !== undefined)
    expect(announced.map(({ speaker }) => speaker)).toEqual(['counter', 'door'])
    expect(events.filter(({ event }) => event === 'scenario').map(({ file }) => file)).toEqual([
      join(folder, 'refusals.yaml'),
      join(folder, 'two-speakers.yaml'),
    ])
    expect(events.at(-1)).toMatchObject({ event: 'summary', scenarios: 2, passed: 2 })
  })

  it('that is interrupted fails, and the rest is not played', async () => {
    const folder = folderOf(['muted'], { a: `  - ${CONNECTED}\n  - wait: 10m\n` })
    const report = join(folder, 'report.xml')
    const args = [
      '--import',
      'tsx',
      MAIN,
      '--headless',
      '--scenario',
      folder,
      '--with-hub',
      '--junit',
      report,
    ]
    const running = start(process.execPath, args)
    await until('the speaker to connect', () => running.stdout().includes('"connected"'))
    running.child.kill('SIGTERM')
    const { code, stderr } = await running.ended
    expect(code).toBe(1)
    expect(stderr).toMatch(/a\.yaml:4: wait: 10m\n {2}It was interrupted\./)
    expect(parseXml(readFileSync(report, 'utf8')).children[0]?.attributes).toMatchObject({
      ...{ tests: '2', failures: '1', skipped: '1' },
    })
  })

  it('whose hub does not start fails, and says why', async () => {
    const folder = folderOf(['muted', 'refusals'])
    const report = join(folder, 'report.xml')
    const wrong = { HUB_KEEP_EVENTS_DAYS: 'many' }
    const { code, lines, stderr, left } = await play(['--scenario', folder, '--junit', report], wrong)
    expect([code, lines.at(-1), left]).toEqual([
      1,
      expect.stringMatching(/^2 scenarios: 0 passed, 1 failed, 1 not/),
      [],
    ])
    expect(stderr).toMatch(/muted\.yaml: .*The hub did not start: .*HUB_KEEP_EVENTS_DAYS/)
    const root = parseXml(readFileSync(report, 'utf8'))
    expect([junitMistakes(root), root.attributes.errors]).toEqual([[], '1'])
  })

  it('can not be played into a report that can not be written', async () => {
    const { code, stderr } = await play(['--scenario', SHIPPED, '--junit', '/proc/nowhere/report.xml'])
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^--junit: \/proc\/nowhere\/report\.xml can't be written: /),
    ])
  })
})

it.skipIf(!hasPostgres)('two hubs on PostgreSQL are killed in turn, and no payment is lost', async () => {
  const { code, lines, stderr, left } = await play(['--scenario', folderOf(['two-hubs'])])
  expect([code, stderr, left]).toEqual([0, '', []])
  expect(lines[0]).toMatch(/^✓ .*two-hubs\.yaml/)
})
