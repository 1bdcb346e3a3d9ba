import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, it, vi } from 'vitest'
import {
  clipboardSequence,
  copyToClipboard,
  MOST_COPIED_BYTES,
  newestThatFit,
} from '../../../simulator/screen/clipboard.ts'
import { temporaryFolder } from '../../support/folder.ts'

const TEXT = 'Đã nhận 50.000 đ'
const BASE64 = Buffer.from(TEXT).toString('base64')

async function written(tmux: string | undefined, path = ''): Promise<string> {
  vi.stubEnv('PATH', path)
  let output = ''
  await copyToClipboard(TEXT, { tmux, write: (text) => (output += text) })
  vi.unstubAllEnvs()
  return output
}

/** A folder with a program "tmux". */
function folderWithTmux(script: string): string {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'tmux'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(folder, 'tmux'), 0o755)
  return `${folder}:${process.env.PATH}`
}

it('copies by OSC 52', async () => {
  expect(await written(undefined)).toBe(`\u001b]52;c;${BASE64}\u0007`)
  expect(await written('')).toBe(clipboardSequence(TEXT))
})

it('under tmux gives tmux the text, and the terminal nothing', async () => {
  const folder = temporaryFolder()
  const path = folderWithTmux(`echo "$*" > ${folder}/arguments; cat > ${folder}/text`)
  expect(await written('/tmp/tmux-0/default,1,0', path)).toBe('')
  expect(readFileSync(join(folder, 'arguments'), 'utf8')).toBe('load-buffer -w -\n')
  expect(readFileSync(join(folder, 'text'), 'utf8')).toBe(TEXT)
})

it.each([
  ['is too old for it', () => folderWithTmux('exit 1')],
  ['is not to be found', () => '/nowhere'],
])('under a tmux that %s passes the sequence through it', async (_, path) => {
  expect(await written('/tmp/tmux-0/default,1,0', path())).toBe(
    `\u001bPtmux;\u001b\u001b]52;c;${BASE64}\u0007\u001b\\`,
  )
})

it('copies the newest lines that fit', () => {
  expect(newestThatFit(['a', 'b'])).toEqual(['a', 'b'])
  const line = 'ă'.repeat(500)
  const lines = Array.from({ length: 100 }, (_, index) => `${index} ${line}`)
  const kept = newestThatFit(lines)
  expect(kept.at(-1)).toBe(lines.at(-1))
  expect(kept.length).toBeLessThan(100)
  expect(Buffer.byteLength(kept.join('\n'))).toBeLessThanOrEqual(MOST_COPIED_BYTES)
  expect(Buffer.byteLength(lines.slice(-kept.length - 1).join('\n'))).toBeGreaterThan(MOST_COPIED_BYTES)
})
