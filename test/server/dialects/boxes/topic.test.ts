import { expect, it } from 'vitest'
import { createDownTopic } from '../../../../server/dialects/profile/names.ts'
import { profileOf } from './support.ts'

const OWN = '/ota/soundbox/866714012345678/update'

it.each([
  ['none', [], OWN],
  ['the one of the profile', [OWN], OWN],
  ['another one', ['/ota/k/866714012345678/user/task'], '/ota/k/866714012345678/user/task'],
  ['the same one twice', ['a/b', 'a/b'], 'a/b'],
  ['several', ['a/b', OWN], OWN],
  ['several, none of the profile', ['a/b', 'a/c'], OWN],
  ['a wildcard', ['a/#'], OWN],
])('the topic of a box that has subscribed to %s', (_, filters, topic) => {
  const down = createDownTopic(profileOf('morefun'), '866714012345678')
  for (const filter of filters) down.subscribed(filter)
  expect(down.topic()).toBe(topic)
})
