import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { done, linewise, print, refused } from '../../../../server/operate/cli/output.ts'

const isTTY = process.stdout.isTTY

beforeEach(() => {
  process.stdout.isTTY = true
})

afterEach(() => {
  vi.restoreAllMocks()
  process.stdout.isTTY = isTTY
  process.exitCode = undefined
})

/** The output on a terminal. */
function shown(outcome: Parameters<typeof print>[0]) {
  const [out, err] = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockClear().mockReturnValue(true),
  )
  print(outcome, false)
  const text = (spy: typeof out) => spy?.mock.calls.map(([written]) => written).join('')
  return { out: text(out), err: text(err) }
}

it('prints the sentence of a success or a failure on a terminal', () => {
  expect(shown(done({ made: 1 }, 'It is made.'))).toEqual({ out: 'It is made.\n', err: '' })
  expect(shown(linewise(done([{ made: 1 }], 'It is made.')))).toEqual({ out: 'It is made.\n', err: '' })
  expect(shown(refused({ made: 0 }, 'It is not made.'))).toEqual({ out: '', err: 'It is not made.\n' })
})

it('prints the finished items on a terminal when one fails, because a key is shown only once', () => {
  const keys = [{ key: 'K1' }, { key: 'K2' }]
  expect(shown(linewise(refused(keys, '2 of 3 are made.')))).toEqual({
    out: '{"key":"K1"}\n{"key":"K2"}\n',
    err: '2 of 3 are made.\n',
  })
})
