import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { ROOT, readPage } from '../../support/docs/markdown.ts'
import { createShell } from '../../support/docs/shell.ts'
import { temporaryFolder } from '../../support/folder.ts'

/** What V8 writes of a process: how often each function ran. The first function of a script is its top level. */
const coverage = z.object({
  result: z.array(
    z.object({
      url: z.string(),
      functions: z.array(z.object({ ranges: z.array(z.object({ count: z.number() })) })),
    }),
  ),
})

/** Files of the repository of which a function ran. A file that has none, such as a schema, ran when it was loaded. */
function executedFiles(folder: string): Set<string> {
  const root = String(pathToFileURL(ROOT))
  const scripts = globSync('*.json', { cwd: folder }).flatMap(
    (file) => coverage.parse(JSON.parse(readFileSync(join(folder, file), 'utf8'))).result,
  )
  const ours = scripts.filter(({ url }) => url.startsWith(root) && !url.includes('/node_modules/'))
  const hasRun = ours.filter(({ functions: [, ...functions] }) =>
    functions.length === 0 ? true : functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0),
  )
  return new Set(hasRun.map(({ url }) => url.slice(root.length).replace(/\?.*$/, '')))
}

/** The files of the walk that run without a screen. */
function walk(): string[] {
  const text = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const [, section = ''] = text.split('\n## Follow one payment\n')
  const links = [...(section.split('\n## ')[0] ?? '').matchAll(/\]\(([\w./-]+\.tsx?)\)/g)]
  return links.map(([, path = '']) => path).filter((path) => !path.startsWith('simulator/screen/'))
}

it('a payment passes each file that the README walks along', async () => {
  const { links } = readPage('README.md')
  expect(walk().length).toBeGreaterThan(15)
  expect(links).toEqual(expect.arrayContaining(walk()))

  const folder = temporaryFolder()
  const shell = await createShell(folder, '')
  const setting = `NODE_DISABLE_COMPILE_CACHE=1 NODE_V8_COVERAGE='${folder}/coverage'`
  const { code, stdout } = await shell.run(`${setting} npm run -s demo -- --once`)
  expect({ code, stdout }).toMatchObject({ code: 0 })
  const executed = executedFiles(join(folder, 'coverage'))
  expect(walk().filter((path) => !executed.has(path))).toEqual([])
})
