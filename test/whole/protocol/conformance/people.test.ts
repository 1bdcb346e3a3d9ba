import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { firstAvailable, rigOperator } from '../../../../protocol/conformance/run/rig-operator.ts'
import { terminalOperator } from '../../../../protocol/conformance/run/terminal-operator.ts'
import { temporaryFolder } from '../../../support/folder.ts'

const QUESTION = {
  caseId: 'ack/announce',
  text: 'Was 5000 spoken, once?',
  about: { heard: 'pay', times: 1 },
  command: undefined,
}
const ENV = { PATH: process.env.PATH }

describe('a test rig', () => {
  it.each([
    ['exit 0', true],
    ['exit 1', false],
    ['exit 7', undefined],
    ['[ "$SB1_CASE" = ack/announce ]', true],
    ['[ "$SB1_QUESTION" = "Was 5000 spoken, once?" ]', true],
    [`[ "$SB1_ABOUT" = '{"heard":"pay","times":1}' ]`, true],
  ])('answers with its exit code: %s', async (answers, answer) => {
    expect(await rigOperator({ answers }, ENV).answer?.(QUESTION)).toBe(answer)
  })

  it('cuts the power, and reports a failure', async () => {
    const file = join(temporaryFolder(), 'cut')
    // What it leaves running must not keep the kit waiting.
    await rigOperator({ powerCycle: `echo off > '${file}'; sleep 600 &` }, ENV).powerCycle?.('now')
    expect(readFileSync(file, 'utf8')).toBe('off\n')
    await expect(rigOperator({ powerCycle: 'exit 3' }, ENV).powerCycle?.('now')).rejects.toThrow(
      'failed with 3',
    )
  })

  it('is preferred, and a person does the rest', () => {
    const person = {
      answer: async () => true,
      powerCycle: async () => undefined,
      goodbye: async () => undefined,
    }
    const both = firstAvailable(rigOperator({ powerCycle: 'exit 0' }, ENV), person)
    expect(both.powerCycle).not.toBe(person.powerCycle)
    expect(both.answer).toBe(person.answer)
    expect(rigOperator({}, ENV).answer).toBeUndefined()
  })
})

describe('a person', () => {
  function seat() {
    const input = new PassThrough()
    const output = new PassThrough()
    output.setEncoding('utf8')
    return { input, output, person: terminalOperator(input, output, () => undefined) }
  }

  it.each([
    [['y'], true],
    [['N'], false],
    [['s'], undefined],
    [['perhaps', 'yes'], true],
  ])('is asked until the answer is valid: %j', async (lines, answer) => {
    const { input, output, person } = seat()
    const answered = person.answer?.(QUESTION)
    const waiting = [...lines]
    output.on('data', (text: string) => {
      if (text.includes('yes, n no')) input.write(`${waiting.shift()}\n`)
    })
    expect(await answered).toBe(answer)
  })

  it('is told what to do, and confirms with Enter', async () => {
    const { input, output, person } = seat()
    const done = person.powerCycle?.('Pull the plug now.')
    let told = ''
    await new Promise<void>((resolve) =>
      output.on('data', (text: string) => {
        told += text
        if (told.includes('press Enter')) resolve()
      }),
    )
    expect(told).toContain('Pull the plug now.\n')
    input.write('\n')
    await done
  })
})
