import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../support/folder.ts'
import { start } from '../../../support/processes/process.ts'

it('the demo certifies the simulated speaker, all cases included, and says what it is', async () => {
  const out = temporaryFolder()
  const args = ['simulator/run/kit/main.ts', '--demo', '--strict', '--out', out]
  const { code, stdout, stderr } = await start(process.execPath, args).ended
  expect(stderr).toBe('')
  expect(stdout).toMatch(/^Demo: the kit checks the simulated speaker/)
  expect(stdout).toMatch(/\nCertified for sb\/1 /)
  expect(stdout).toMatch(/it is about the simulated speaker, not about a product\.\n$/)
  const report = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8'))
  expect(report).toMatchObject({ result: 'certified', leftOut: [], watched: ['wire', 'power', 'senses'] })
  expect(code).toBe(0)
})
