import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readFleetScenario } from '../../../../simulator/run/fleet/scenario/read.ts'
import { stagesOf } from '../../../../simulator/run/fleet/scenario/schema.ts'
import { temporaryFolder } from '../../../support/folder.ts'

function fileWith(text: string): string {
  const file = join(temporaryFolder(), 'load.yaml')
  writeFileSync(file, text)
  return file
}

it('reads stages, each from the rate at which the one before ended', () => {
  const text = `about: All kinds of stages.
pay: 5
stages:
  - { ramp: 50, for: 30s }
  - { hold: 1m }
  - { spike: 200, for: 10s }
  - { hold: 5s }
  - { pause: 1s }
  - { ramp: 10, for: 2s }
mix: { qr: 5%, repeat: 0.5% }
dialects: { hemipay: 20%, alink: 5% }
faults: { mute: 2% }
networks: { 2g: 10%, flapping: 5% }
expect: ["lost == 0"]
`
  const {
    pay = 0,
    stages = [],
    mix,
    dialects,
    faults,
    networks,
    expect: thresholds,
  } = readFleetScenario(fileWith(text))
  expect(stagesOf(stages, pay)).toEqual([
    { name: 'ramp', from: 5, to: 50, ms: 30_000 },
    { name: 'hold', from: 50, to: 50, ms: 60_000 },
    { name: 'spike', from: 200, to: 200, ms: 10_000 },
    { name: 'hold', from: 50, to: 50, ms: 5_000 },
    { name: 'pause', from: 0, to: 0, ms: 1_000 },
    { name: 'ramp', from: 50, to: 10, ms: 2_000 },
  ])
  expect({ faults, networks }).toEqual({ faults: { mute: 0.02 }, networks: { '2g': 0.1, flapping: 0.05 } })
  expect(dialects).toEqual({ hemipay: 0.2, alink: 0.05 })
  expect(mix).toEqual({ qr: 0.05, repeat: 0.005 })
  expect(thresholds).toMatchObject([{ expect: 'lost == 0', figure: 'lost' }])
})

it.each([
  ['', /: the file is empty: a fleet's scenario has about, pay, stages/],
  ['about: x\nstages:\n  - { hold: 10 }\n', /load\.yaml:3: stages\.0: a stage is one of /],
  ['about: x\nstages:\n  - { hold: 10 s }\n', /load\.yaml:3: stages\.0: a stage is one of /],
  ['about: x\nstage: []\n', /load\.yaml:2: stage: unknown field; did you mean "stages"\?/],
  [
    'about: x\nexpect:\n  - herd > 5\n',
    /load\.yaml:3: expect\.0: There is no figure herd; did you mean heard\?/,
  ],
  ['about: x\nmix: { qr: 5 }\n', /load\.yaml:2: mix\.qr: must be a share, such as 5%/],
  ['about: x\ndialects: { ds50: 60%, alink: 60% }\n', /load\.yaml:2: dialects: is more than 100 % in all/],
  ['about: x\ndialects: { zkc: 5% }\n', /load\.yaml:2: dialects/],
  ['about: x\nmix: { qr: 60%, bill: 60% }\n', /load\.yaml:2: mix: is more than 100 % in all/],
  ['pay: fast\n', /load\.yaml:1: about: this is missing\n.*load\.yaml:1: pay: must be a number/],
])('says what is wrong with %j, and in which line', (text, message) => {
  expect(() => readFleetScenario(fileWith(text))).toThrow(message)
})
