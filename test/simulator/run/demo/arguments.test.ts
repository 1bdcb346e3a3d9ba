import { expect, it } from 'vitest'
import { readArguments } from '../../../../simulator/run/demo/arguments.ts'

it('reads what the demo is asked for', () => {
  expect(readArguments([])).toEqual({
    ...{ once: false, sound: false, voiceDir: undefined, cluster: false, help: false },
    ...{ speakers: 200, perSecond: 20 },
  })
  expect(readArguments(['--sound', '--voice', 'mine'])).toMatchObject({ sound: true, voiceDir: 'mine' })
  expect(readArguments(['--cluster', '--speakers', '9'])).toMatchObject({ cluster: true, speakers: 9 })
})

it.each([
  [['--voice', 'mine'], '--voice needs --sound.'],
  [['--cluster', '--sound'], '--cluster has no sound.'],
  [['--speakers', '9'], '--speakers and --pay need --cluster.'],
  [['--cluster', '--pay', '0'], '--pay is a whole number from 1 to 200.'],
  [['--onec'], "Unknown option '--onec'"],
])('refuses %j', (args, sentence) => {
  expect(() => readArguments(args)).toThrow(sentence)
})
