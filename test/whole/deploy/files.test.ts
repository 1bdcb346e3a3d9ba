import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { DASHBOARDS, dashboard } from '../../support/dashboards.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { findProgram } from '../../support/processes/program.ts'

/** Above it systemd calls the exposure of a service medium. Ours needs the network and a compiler of its own. */
const MOST_EXPOSED = 2

function run(command: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  return { status, output: `${stdout}${stderr}` }
}

it.skipIf(findProgram('promtool') === undefined)(
  'Prometheus takes the alert rules; each fires for its cause and for no other',
  () => {
    expect(run('promtool', 'check', 'rules', 'deploy/alerts.yml')).toMatchObject({ status: 0 })
    expect(run('promtool', 'check', 'config', 'deploy/prometheus.yml')).toMatchObject({ status: 0 })
    expect(run('promtool', 'test', 'rules', 'test/whole/deploy/alerts.test.yml')).toMatchObject({ status: 0 })
  },
)

it.skipIf(findProgram('promtool') === undefined)(
  'Prometheus understands each query of the dashboards',
  () => {
    const exprs = DASHBOARDS.flatMap((path) =>
      dashboard(path).exprs.map((expr) => expr.replaceAll('$hub', '.*')),
    )
    const rules = exprs.map((expr, index) => ({ record: `query:${index}`, expr }))
    // JSON is YAML, too.
    const file = join(temporaryFolder(), 'rules.yml')
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboards', rules }] }))
    expect(run('promtool', 'check', 'rules', file)).toMatchObject({ status: 0 })
  },
)

it.skipIf(findProgram('systemd-analyze') === undefined)('systemd calls the service well protected', () => {
  const { output } = run('systemd-analyze', 'security', '--offline=true', 'deploy/soundbox-hub.service')
  const exposure = /Overall exposure level for soundbox-hub.service: ([\d.]+)/.exec(output)?.[1]
  expect(Number(exposure)).toBeLessThan(MOST_EXPOSED)
})

it('the image copies what exists', () => {
  const copied = [...readFileSync('deploy/Containerfile', 'utf8').matchAll(/^COPY (?!--)(.+) \S+$/gm)]
  const sources = copied.flatMap(([, names = '']) => names.split(' '))
  expect(sources).toContain('server')
  expect(sources.filter((name) => spawnSync('test', ['-e', name]).status !== 0)).toEqual([])
})
