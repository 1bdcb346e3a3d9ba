import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { afterwardsLines, pageLines, writeKeys } from '../../../../../simulator/run/demo/guide.ts'
import { temporaryFolder } from '../../../../support/folder.ts'

const KEYS = {
  http: 'http://127.0.0.1:42927',
  mqtt: 'mqtt://127.0.0.1:43451',
  clientId: 'sbc_bdf3988bd88ff309fe',
  clientSecret: `sbs_${'x'.repeat(43)}`,
  accessToken: `sba_${'x'.repeat(43)}`,
  serial: 'DEMO-0001',
  key: 'K'.repeat(43),
}

/** Joins the shell lines as pasted; throws when the shell can't parse them. */
function readByShell(lines: readonly string[]): string {
  const script = lines.join('\n')
  execFileSync('sh', ['-n'], { input: script })
  return script
}

describe('the page of keys and commands', () => {
  const lines = pageLines(KEYS, '/tmp/soundbox-demo-Msahpw/demo.env')

  it('fits a terminal of 60 columns, so that each line can be copied', () => {
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(60)
  })

  it('uses only variables that its file sets', () => {
    const folder = temporaryFolder()
    const file = readFileSync(writeKeys(folder, KEYS), 'utf8')
    const script = readByShell(lines.filter((line) => /^(\.|curl|npm| {2}--)/.test(line)))
    const used = [...script.matchAll(/\$(\w+)/g)].map(([, name]) => name)
    expect(used).not.toEqual([])
    for (const name of used) expect(file).toContain(`export ${name}='`)
  })
})

describe('the text after a run without a screen', () => {
  it('works when pasted: each variable is set before its use', () => {
    const lines = afterwardsLines(KEYS)
    const script = readByShell(lines.filter((line) => line.startsWith('  ')))
    for (const [, name] of script.matchAll(/\$(\w+)/g))
      expect(script.indexOf(`${name}=`)).toBeLessThan(script.indexOf(`$${name}`))
    expect(script).toContain('  CLIENT=$(')
    expect(script).toContain('HUB_HTTP_PORT=42927 HUB_MQTT_PORT=43451 npm start')
    for (const used of [KEYS.http, KEYS.mqtt, KEYS.clientId, KEYS.serial])
      expect(lines.join('\n')).toContain(used)
  })
})
