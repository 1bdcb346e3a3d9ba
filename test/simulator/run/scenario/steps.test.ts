import { describe, expect, it } from 'vitest'
import { parseScenario } from '../../../../simulator/run/scenario/file/load.ts'
import { file, mistakesIn } from './mistakes.ts'

const textsOf = (text: string) =>
  parseScenario('x.yaml', text).steps.map(({ line, text }) => `${line} ${text}`)

const two = (...steps: string[]) =>
  `about: a\nspeakers: { counter: {}, door: }\npartners: [ours, theirs]\nsteps:\n${steps.map((step) => `  - ${step}\n`).join('')}`

describe('a loop', () => {
  it('repeats its steps, with the number of the round', () => {
    expect(
      textsOf(file('repeat: 2\n    as: n\n    steps:\n      - pay: "1000"\n        bill: B-${n}')),
    ).toEqual(['6 pay: "1000", bill: B-1 (round 1 of 2)', '6 pay: "1000", bill: B-2 (round 2 of 2)'])
  })

  it('goes over values, which keep their types', () => {
    const steps = parseScenario(
      'x.yaml',
      file(
        'for: { level: [0, 50] }\n    steps:\n      - volume: ${level}\n      - expect: { event: settings, volume: "${level}" }',
      ),
    ).steps
    expect(steps.map(({ step }) => step)).toMatchObject([
      { volume: 0 },
      { expect: { event: 'settings', volume: 0 } },
      { volume: 50 },
      { expect: { event: 'settings', volume: 50 } },
    ])
  })

  it('goes over values with fields, inside another loop, with values of the whole file', () => {
    const text = `about: a
variables: { shop: Phở }
steps:
  - for: { paid: [{ amount: "1000", bill: A }, { amount: "2000", bill: B }] }
    steps:
      - repeat: 2
        as: n
        steps:
          - pay: \${paid.amount}
            bill: \${shop}-\${paid.bill}-\${n}
`
    expect(textsOf(text).map((line) => line.replace(/ \(.*/, ''))).toEqual([
      '9 pay: "1000", bill: Phở-A-1',
      '9 pay: "1000", bill: Phở-A-2',
      '9 pay: "2000", bill: Phở-B-1',
      '9 pay: "2000", bill: Phở-B-2',
    ])
  })

  it.each([
    ['no steps', 'repeat: 2', /^3: step 1, steps: this is missing$/],
    ['no list of steps', 'repeat: 2\n    steps: []', /^4: step 1, steps: a loop has at least one step$/],
    [
      'no values',
      'for: { n: [] }\n    steps:\n      - wait: 1s',
      /^3: step 1, for\.n: write a list of values$/,
    ],
    [
      'one value',
      'for: { n: 1 }\n    steps:\n      - wait: 1s',
      /^3: step 1, for\.n: write a list of values$/,
    ],
    [
      'two variables',
      'for: { n: [1], m: [1] }\n    steps:\n      - wait: 1s',
      /^3: step 1, for: a loop has one/,
    ],
    ['no end', 'repeat: 1000000\n    steps:\n      - wait: 1s', /^3: step 1, repeat: must be at most 1000$/],
    [
      'a field too many',
      'repeat: 2\n    time: 3\n    steps:\n      - wait: 1s',
      /^4: step 1, time: unknown field/,
    ],
    [
      'too many steps',
      'repeat: 1000\n    steps:\n      - repeat: 6\n        steps:\n          - wait: 1s',
      /^7: step 1\.1\.1: the loops make more than 5000 steps$/,
    ],
    [
      'a wrong step',
      'repeat: 3\n    steps:\n      - wait: 1s\n      - pya: "1"',
      /^6: step 1\.2: there is no step "pya"; did you mean "pay"\?/,
    ],
    [
      'a wrong value',
      'for: { amount: ["1000", "abc"] }\n    steps:\n      - pay: ${amount}',
      /^5: step 1\.1, pay: an amount is digits .* \(amount "abc"\)$/,
    ],
    [
      'the name of a variable',
      'for: { n: [1] }\n    steps:\n      - for: { n: [2] }\n        steps:\n          - wait: 1s',
      /^5: step 1\.1: there is a variable "n" around/,
    ],
    [
      'the result of a step',
      'repeat: ${paid.n}\n    steps:\n      - wait: 1s',
      /^3: step 1, repeat: there is no variable "paid" before this step \(a loop can't use/,
    ],
  ])('with %s is refused once, with its line', (_, step, message) => {
    const [mistake, ...others] = mistakesIn(file(step))
    expect(mistake).toMatch(message)
    expect(others).toEqual([])
  })

  it('with a misspelt field is told its name', () => {
    expect(mistakesIn(file('for: { n: [1] }\n    step:\n      - volume: ${n}'))).toEqual([
      '3: step 1, steps: this is missing',
      '4: step 1, step: unknown field; did you mean "steps"?',
    ])
  })

  it('with a mistake in nested rounds is refused once, at once', () => {
    const deep =
      'about: a\nsteps: [{ repeat: 1000, steps: [{ repeat: 1000, steps: [{ repeat: 1000, steps: [STEP] }] }] }]\n'
    expect(mistakesIn(deep.replace('STEP', '{ repeat: 0, steps: [{ wait: 1s }] }'))).toEqual([
      '2: step 1.1.1.1, repeat: must be at least 1',
    ])
    expect(mistakesIn(deep.replace('STEP', '{ wait: 1s }'))).toEqual([
      expect.stringMatching(/^2: step 1\.1\.1: the loops make more than 5000 steps$/),
    ])
  })

  it('that contains itself is refused', () => {
    expect(mistakesIn('about: a\nsteps: &all\n  - repeat: 2\n    steps: *all\n')).toEqual([
      '4: the values are nested too deeply, or an alias (*) contains itself',
    ])
  })
})

describe('a variable', () => {
  it('from the result of a step waits for the run; the rest of the step is checked', () => {
    const pay = 'pay: "1000"\n    as: paid'
    expect(mistakesIn(file(pay, 'expect: { event: played, n: "${paid.amount}" }'))).toEqual([])
    expect(mistakesIn(file(pay, 'expect: { event: played, n: "${paid.amount}", m: 1 }'))).toMatchObject([
      expect.stringMatching(/^5: step 2, expect\.m: this event has no field "m"/),
    ])
  })

  it.each([
    [['pay: ${amout}'], /^3: step 1, pay: there is no variable "amout" before this step$/],
    [['pay: "1"\n    as: first', 'pay: ${frist.amount}'], /^5: .* did you mean "first"\?$/],
    [
      ['pay: "1"\n    as: first', 'pay: ${first.amuont}'],
      /^5: .*"first" has no "amuont"; did you mean "amount"\?$/,
    ],
    [['pay: "1"\n    as: first', 'pay: ${first}'], /^5: .*"first" has several values: \$\{first\.ftCode\}, /],
    [
      ['pay: ${later.amount}', 'pay: "1"\n    as: later'],
      /^3: .*there is no variable "later" before this step$/,
    ],
    [['expect: announce\n    as: said', 'pay: ${said.amont}'], /^5: .*did you mean "amount"\?$/],
    [['for: { n: [1] }\n    steps:\n      - pay: ${n.x}'], /^5: .*"n" has a single value: write \$\{n\} /],
    [
      ['for: { n: [1] }\n    steps:\n      - pay: "1"\n        as: n'],
      /^6: .*there is a variable "n" already$/,
    ],
    [
      ['again: first'],
      /^3: step 1, again: there is no payment "first" before this step; name one by `as: first`$/,
    ],
    [['pay: "1"\n    as: first', 'stage: played\n    of: frist'], /^6: .*did you mean "first"\?$/],
    [['expect: announce\n    as: said', 'again: said'], /^5: .*there is no payment "said"/],
  ])('that there is not is refused: %j', (steps, message) => {
    const [mistake, ...others] = mistakesIn(file(...steps))
    expect([mistake, others]).toEqual([expect.stringMatching(message), []])
  })
})

describe('a scenario of several', () => {
  it('names who acts; a list of speakers is a step for each', () => {
    expect(textsOf(two('expect: connected\n    on: [counter, door]', 'pay: "1"\n    by: ours'))).toEqual([
      '5 expect: connected, on: counter',
      '5 expect: connected, on: door',
      '7 pay: "1", by: ours',
    ])
  })

  it.each([
    ['expect: connected', /^5: step 1, expect: which speaker\? Add on: counter or on: door$/],
    ['expect: connected\n    on: dor', /^6: step 1, on: there is no speaker "dor"; did you mean "door"\?$/],
    [
      'expect: connected\n    on: [door, attic]',
      /^6: step 1, on: there is no speaker "attic"; the speakers are counter, door$/,
    ],
    ['pay: "1"', /^5: step 1, pay: which partner\? Add by: ours or by: theirs$/],
    ['pay: "1"\n    by: them', /^6: step 1, by: there is no partner "them"/],
    [
      'pay: "1"\n    by: ours\n    as: p\n  - again: p\n    by: thiers',
      /^9: step 2, by: .*did you mean "theirs"\?$/,
    ],
    ['pay: "1"\n    by: ours\n    on: door', /^7: step 1, on: unknown field/],
    ['hub: kill\n    number: 2', /^6: step 1, number: there is no hub 2; write hubs: 2 above the steps$/],
    ['pay: "1"\n    by: ours\n    via: 3', /^7: step 1, via: there is no hub 3/],
  ])('is refused when it does not: %j', (step, message) => {
    expect(mistakesIn(two(step))).toEqual([expect.stringMatching(message)])
  })

  it('has one speaker by itself, or several by names', () => {
    expect(mistakesIn('about: a\nspeaker: {}\nspeakers: { a: {} }\nsteps:\n  - wait: 1s\n')).toEqual([
      '3: speakers: a scenario has `speaker` or `speakers`, not both',
    ])
    expect(mistakesIn('about: a\nspeakers: { Cửa: {} }\nsteps:\n  - wait: 1s\n')).toEqual([
      expect.stringMatching(/^2: speakers\.Cửa: a name has lower-case letters/),
    ])
    expect(mistakesIn('about: a\npartners: [a, a]\nsteps:\n  - wait: 1s\n')).toEqual([
      '2: partners: two partners have the same name',
    ])
  })
})

it('a field that is named like a verb is no verb, wherever it stands', () => {
  const steps = file('code: "123456"\n    register: Phở', 'for: 1s\n    expectNone: played', 'code: request')
  expect(parseScenario('x.yaml', steps).steps.map(({ step }) => step)).toMatchObject([
    { register: 'Phở', code: '123456' },
    { expectNone: { event: 'played' }, for: 1_000 },
    { code: 'request' },
  ])
})

describe('a refusal', () => {
  it.each(['refused', 'fails'])('may be expected for a bad amount: %s', (field) => {
    expect(
      mistakesIn(file(`pay: "0"\n    ${field}: 40001`, `showQr: abc\n    bill: B\n    ${field}: 40001`)),
    ).toEqual([])
  })

  it('has one code, and is an answer', () => {
    const both = '5: step 1, unanswered: '
    expect(mistakesIn(file('pay: "1"\n    refused: 40001\n    unanswered: true'))).toEqual([
      `${both}a hub that refuses has answered: leave out one of the two`,
    ])
    expect(mistakesIn(file('pay: "1"\n    refused: 40001\n    fails: 40002'))).toEqual([
      '5: step 1, fails: this is an older name of refused: leave it out',
    ])
  })

  it('is a code of the hub', () => {
    expect(mistakesIn(file('pay: "0"\n    refused: 400'))).toEqual([
      '4: step 1, refused: must be at least 40000',
    ])
  })
})

it('what a speaker shows is named in part, or as none', () => {
  const see =
    'see: { display: { screen: paid }, sounding: { amount: "1" }, settings: { volume: 1 }, faults: [mute], retryInMs: null }'
  expect(mistakesIn(file(see))).toEqual([])
})

describe('a misspelt word', () => {
  it.each([
    ['expct: played', /^3: step 1: there is no step "expct"; did you mean "expect"\?$/],
    ['expect: anounce', /^3: step 1, expect: there is no event "anounce"; did you mean "announce"\?$/],
    ['expect: { event: anounce }', /^3: step 1, expect\.event: there is no event "anounce"; did you mean/],
    ['expect: { event: announce, amonut: "1" }', /no field "amonut"; did you mean "amount"\?$/],
    ['fault: slow-lnk', /^3: step 1, fault: there is no "slow-lnk"; did you mean "slow-link"\?$/],
    ['stage: playd', /^3: step 1, stage: there is no "playd"; did you mean "played"\?/],
    ['pay: "1"\n    bil: B', /^4: step 1, bil: unknown field; did you mean "bill"\?$/],
    ['see: { dislay: { screen: qr } }', /a snapshot has no "dislay"; did you mean "display"\?/],
    ['see: { display: { screen: idel } }', /there is no screen "idel"; did you mean "idle"\?/],
    ['see: { display: { screen: qr, bil: B } }', /see\.display\.bil: unknown field; did you mean "bill"\?$/],
    [
      'see: { display: { screen: idle, code: "1" } }',
      /see\.display\.code: unknown field; the fields are screen, name, qr$/,
    ],
    ['see: { settings: { volum: 1 } }', /see\.settings\.volum: unknown field; did you mean "volume"\?$/],
    ['see: { settings: { volume: loud } }', /see\.settings\.volume: must be a number$/],
    ['see: { sounding: { kind: beep, n: 1 } }', /see\.sounding\.n: unknown field; the fields are kind$/],
    [
      'see: { sounding: { kind: sentnce } }',
      /see\.sounding\.kind: there is no kind "sentnce"; did you mean "sentence"\?$/,
    ],
    ['hub: kil', /^3: step 1, hub: there is no "kil"; did you mean "kill"\?/],
  ])('is guessed: %j', (step, message) => {
    expect(mistakesIn(file(step))).toEqual([expect.stringMatching(message)])
  })
})
