import { expect, it } from 'vitest'
import { createLog } from '../../../server/platform/log.ts'

function written(log: (lines: ReturnType<typeof createLog>) => void): string[] {
  const lines: string[] = []
  log(createLog('info', { write: (line) => void lines.push(line) }))
  return lines
}

it('writes the time as ISO 8601 and the level by its name', () => {
  const [line = ''] = written((log) => log.warn({ a: 1 }, 'text'))
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  expect(JSON.parse(line)).toEqual({ level: 'warn', time, a: 1, msg: 'text' })
})

it.each([
  { name: 'ESC', text: '\u001b[31m' },
  { name: 'CSI', text: '\u009b31m' },
  { name: 'DEL', text: '\u007f' },
  { name: 'newlines', text: '\r\n\u0085\u2028\u2029' },
  { name: 'a change of direction', text: '\u202e\u2066\u200f' },
  { name: 'no width', text: '\u200b\ufeff' },
  { name: 'a lone surrogate', text: '\ud800' },
  { name: 'tags beyond the first plane', text: '\u{e0041}' },
])('writes only printable characters: $name', ({ text }) => {
  const said = `à${text}z`
  const lines = written((log) => {
    log.info({ [said]: said, list: [{ said }], err: new Error(said) }, said)
    log.child({ said }, { redact: [] }).info({}, 'x')
  })
  expect(lines).toHaveLength(2)
  for (const line of lines) expect(line).toMatch(/^[^\p{C}\p{Zl}\p{Zp}]+\n$/u)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ [said]: said, list: [{ said }], msg: said })
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({ said })
})

it('leaves what people write as it is', () => {
  const [line = ''] = written((log) => log.info('Đã nhận 50.000 đồng 😀'))
  expect(line).toContain('"msg":"Đã nhận 50.000 đồng 😀"')
})

it.each([
  { where: 'at the top', text: { password: 'hush', serial: 'SB-1' } },
  {
    where: 'in an error',
    text: { err: Object.assign(new Error('x'), { password: 'hush' }), serial: 'SB-1' },
  },
])('writes no secret $where', ({ text }) => {
  const [line = ''] = written((log) => log.info(text, 'x'))
  expect(line).toContain('[redacted]')
  expect(line).toContain('SB-1')
  expect(line).not.toContain('hush')
})
