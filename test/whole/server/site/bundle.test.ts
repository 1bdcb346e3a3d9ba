import { execFileSync } from 'node:child_process'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { bundleScripts } from '../../../../server/site/bundle.ts'
import { until } from '../../../support/wait.ts'

it('the whole speaker and its voice are scripts for a browser, with nothing of Node.js in them', async () => {
  const scripts = await bundleScripts(['simulator/speaker/speaker.ts', 'simulator/sound/voice.ts'])
  const speaker = Buffer.from(scripts.get('speaker.js') ?? '').toString()
  expect(speaker).toContain('createSpeaker')
  expect(Buffer.from(scripts.get('voice.js') ?? '').toString()).toContain('attachVoice')
  const all = [...scripts.values()].map((bytes) => Buffer.from(bytes).toString()).join('\n')
  expect(all).not.toMatch(/["']node:|\brequire\(["'](?:net|tls|stream|crypto|fs)["']\)|timingSafeEqual/)
  // Two thirds are MQTT.js. With `import { z } from 'zod'` the messages of all of Zod's languages come along: 216 kB.
  expect(gzipSync(all).length).toBeLessThan(160_000)
})

it('the same sources give the same bytes', async () => {
  const [one, other] = await Promise.all([bundleScripts(), bundleScripts()])
  expect(other).toEqual(one)
})

it('a script that cannot be bundled is an error that names the file', async () => {
  await expect(bundleScripts(['server/site/browser/none.ts'])).rejects.toThrow(/none\.ts/)
})

it('ends the process of esbuild', async () => {
  const children = () => execFileSync('ps', ['-A', '-o', 'ppid=,args=']).toString().split('\n')
  const isOurs = (line: string) => line.trim().startsWith(`${process.pid} `) && line.includes('esbuild')
  await bundleScripts()
  await until('its end', () => !children().some(isOurs))
})
