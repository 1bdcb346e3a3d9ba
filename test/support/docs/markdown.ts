import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** A Markdown file of the repository. Paths are relative to its root. */
export interface Page {
  path: string
  /** Code between fences, in order. */
  fences: { language: string; code: string; line: number }[]
  /** Code within a line, outside of fences. */
  spans: string[]
  /** The targets of links and pictures. */
  links: string[]
  /** The anchors of headings, as code hosts make them. */
  anchors: ReadonlySet<string>
}

/** Every page of the repository. */
export function allPages(): Page[] {
  const exclude = ['**/node_modules/**', 'data/**', 'coverage/**']
  return globSync('**/*.md', { cwd: ROOT, exclude }).sort().map(readPage)
}

/** The pages whose commands are run: README.md and docs/. */
export function guidePages(): Page[] {
  return ['README.md', ...globSync('docs/*.md', { cwd: ROOT }).sort()].map(readPage)
}

export function readPage(path: string): Page {
  return parsePage(path, readFileSync(join(ROOT, path), 'utf8'))
}

export function parsePage(path: string, text: string): Page {
  const fences: Page['fences'] = []
  const prose: string[] = []
  let open: Page['fences'][number] | undefined
  text.split('\n').forEach((line, index) => {
    const fence = /^ *```(.*)$/.exec(line)
    if (fence && open) open = undefined
    else if (fence) {
      open = { language: fence[1]?.trim() ?? '', code: '', line: index + 2 }
      fences.push(open)
    } else if (open) open.code += `${line}\n`
    else prose.push(line)
  })
  const spans: string[] = []
  const withoutCode = prose.join('\n').replace(/`([^`]+)`/g, (_, code: string) => {
    spans.push(code.replaceAll('\n', ' '))
    return '`'
  })
  const links = [...withoutCode.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? '')
  return { path, fences, spans, links, anchors: anchorsOf(prose) }
}

function anchorsOf(lines: readonly string[]): Set<string> {
  const anchors = new Set<string>()
  for (const line of lines) {
    const title = /^#{1,6} (.*)$/.exec(line)?.[1]
    if (title === undefined) continue
    const plain = title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const anchor = plain.replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '').replaceAll(' ', '-')
    let unique = anchor
    for (let count = 1; anchors.has(unique); count += 1) unique = `${anchor}-${count}`
    anchors.add(unique)
  }
  return anchors
}

/** Why the links of a page lead nowhere, a sentence each. */
export function brokenLinks(page: Page): string[] {
  return page.links.flatMap((link) => {
    if (/^(https?|mailto):/.test(link)) return []
    const [file = '', anchor] = decodeURI(link).split('#')
    const path = file === '' ? page.path : normalize(join(dirname(page.path), file))
    if (path.startsWith('..')) return [`${page.path}: ${link} leads out of the repository`]
    if (path !== page.path && !existsSync(join(ROOT, path))) return [`${page.path}: ${link} leads to no file`]
    if (anchor === undefined) return []
    const target = path === page.path ? page : readPage(path)
    return target.anchors.has(anchor) ? [] : [`${page.path}: ${link} leads to no heading`]
  })
}
