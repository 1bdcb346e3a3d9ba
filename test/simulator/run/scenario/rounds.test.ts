import { expect, it } from 'vitest'
import { file, mistakesIn } from './mistakes.ts'

it('a mistake in several rounds is told with all of them, or with their number', () => {
  const pay = (values: string) => file(`for: { amount: [${values}] }\n    steps:\n      - pay: \${amount}`)
  expect(mistakesIn(pay('"0", "1000", abc'))).toEqual([
    expect.stringMatching(/^5: step 1\.1, pay: an amount is .* \(amount "0"; amount "abc"\)$/),
  ])
  expect(mistakesIn(pay('"0", "1000", "00", "000", "0000", "00000"'))).toEqual([
    expect.stringMatching(/ \(amount "0"; amount "00"; amount "000"; and 2 more rounds\)$/),
  ])
})

it('a loop with a wrong number from the loop around it is told with its round', () => {
  const inner = 'for: { n: [1, 0] }\n    steps:\n      - repeat: ${n}\n        steps:\n          - wait: 1s'
  expect(mistakesIn(file(inner))).toEqual(['5: step 1.1, repeat: must be at least 1 (n 0)'])
})
