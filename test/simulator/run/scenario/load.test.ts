import { describe, expect, it } from 'vitest'
import { loadScenario, parseScenario } from '../../../../simulator/run/scenario/file/load.ts'
import { complaintOf, file } from './mistakes.ts'

describe('a scenario', () => {
  it('has steps with lines, durations in milliseconds, and defaults', () => {
    const text = file('expect: connected', 'pay: "50000"\n    bill: B-1\n    at: 1.5s', 'wait: 2m')
    const { hardware, partners, hubs, steps } = parseScenario('x.yaml', text)
    expect([...hardware]).toEqual([['speaker', { faults: [] }]])
    expect([partners, hubs]).toEqual([['partner'], 1])
    expect(steps).toMatchObject([
      { line: 3, text: 'expect: connected', step: { expect: { event: 'connected' }, within: 10_000 } },
      { line: 4, text: 'pay: "50000", bill: B-1, at: 1.5s', step: { pay: '50000', bill: 'B-1', at: 1_500 } },
      { line: 7, text: 'wait: 2m', step: { wait: 120_000 } },
    ])
  })

  it.each([
    ['no YAML', 'about: [', /^x\.yaml:1: /],
    ['an unfinished list', 'about: a\nsteps:\n  - expect: {\n', /^x\.yaml:[34]: /],
    ['no steps', 'about: a\nsteps: []\n', /^x\.yaml:2: steps: a scenario has at least one step$/],
    ['only what it is about', 'about: a\n', /^x\.yaml:1: steps: this is missing$/],
    [
      'a field that speakers have not',
      'about: a\nspeaker:\n  msPerClip: 20\n  colour: red\nsteps:\n  - wait: 1s\n',
      /^x\.yaml:4: speaker\.colour: unknown field; the fields are dialect, msPerClip, /,
    ],
    [
      'another field',
      'about: a\ncolour: red\nsteps:\n  - wait: 1s\n',
      /^x\.yaml:2: colour: unknown field; the fields are about, speaker, speakers, /,
    ],
    [
      'a verb that nobody knows',
      file('wait: 1s', 'sing: loudly'),
      /^x\.yaml:4: step 2: a step is one of: power/,
    ],
    [
      'no event',
      file('expect: applause'),
      /^x\.yaml:3: step 1, expect: there is no event "applause"; the events are power/,
    ],
    [
      'a field that the event has not',
      file('wait: 1s', 'expect: { event: played, amount: "1" }'),
      /^x\.yaml:4: step 2, expect\.amount: this event has no field "amount"; its fields are event, n$/,
    ],
    [
      'an amount that is a number',
      file('expect: { event: announce, amount: 50000 }'),
      /^x\.yaml:3: step 1, expect\.amount: .*\(write amounts in quotes\)$/,
    ],
    [
      'an amount paid that is a number',
      file('pay: 50000'),
      /^x\.yaml:3: step 1, pay: an amount is digits in/,
    ],
    ['an amount paid that is none', file('pay: "abc"'), /^x\.yaml:3: step 1, pay: an amount is digits in/],
    [
      'no event at all',
      file('expect:'),
      /^x\.yaml:3: step 1, expect: an event is missing; the events are power/,
    ],
    ['a volume in words', file('volume: loud'), /^x\.yaml:3: step 1, volume: must be a number$/],
    [
      'a press of no button',
      file('press: x'),
      /^x\.yaml:3: step 1, press: must be one of: reconnect, dismiss$/,
    ],
    ['a time as a number', file('expect: played\n    within: 2'), /^x\.yaml:4: .*250ms, 1\.5s or 2m/],
    ['a fault that there is not', file('fault: broken-heart'), /^x\.yaml:3: step 1, fault: /],
    ['a time without a unit', file('wait: 5'), /^x\.yaml:3: step 1, wait: /],
    ['a time in words', file('expect: played\n    within: soon'), /^x\.yaml:4: .*250ms, 1\.5s or 2m/],
    [
      'a field that a verb does not have',
      file('power: off\n    within: 1s'),
      /^x\.yaml:4: step 1, within: unknown field; the fields are power, on, at$/,
    ],
    [
      'a screen that there is not',
      file('see: { display: { screen: tv } }'),
      /^x\.yaml:3: step 1, see\.display\.screen: there is no screen "tv"; the screens are off/,
    ],
    ['a link that there is not', file('see: { link: up }'), /^x\.yaml:3: step 1, see\.link: /],
    [
      'a snapshot’s field that there is not',
      file('see: { mood: good }'),
      /a snapshot has no "mood"; its fields are serial, power/,
    ],
    [
      'a slow link whose least is the most',
      `about: a\nspeaker:\n  slowLinkMs: { least: 9, most: 1 }\nsteps:\n  - wait: 1s\n`,
      /^x\.yaml:3: speaker\.slowLinkMs: least is greater than most/,
    ],
  ])('with %s is refused with the line', (_what, text, message) => {
    expect(complaintOf(() => parseScenario('x.yaml', text))).toMatch(message)
  })

  it('reports all errors at once, in the order of the file', () => {
    const text = file('wait: 5', 'expect: played', 'fault: none', 'count: played')
    const complaint = complaintOf(() => parseScenario('x.yaml', text))
    expect(complaint.split('\n').map((line) => line.split(':')[1])).toEqual(['3', '5', '6'])
  })

  it('that does not exist is refused', () => {
    expect(() => loadScenario('/nowhere/x.yaml')).toThrow(
      /^\/nowhere\/x\.yaml: it can't be read: there is no such file$/,
    )
  })
})
