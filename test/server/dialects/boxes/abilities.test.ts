import { expect, it } from 'vitest'
import { createAbilities } from '../../../../server/dialects/abilities.ts'
import { SHIPPED } from '../../../../server/dialects/boxes.ts'
import { profileOf } from './support.ts'

const MINE = profileOf('clip-numbers', { name: 'mine', languages: ['vi'], maxAmount: '500000' })

function abilities() {
  const reads: string[] = []
  const { abilitiesOf, profilesProving } = createAbilities({
    profiles: {
      async find(name) {
        reads.push(name)
        return name === 'mine' ? { name, document: JSON.stringify(MINE), since: 0 } : undefined
      },
      list: async () => [
        { name: 'mine', document: JSON.stringify(MINE), since: 0 },
        { name: 'unreadable', document: '{}', since: 0 },
      ],
    },
  })
  return {
    reads,
    profilesProving,
    of: (profile?: string) => abilitiesOf({ dialect: 'oneway', profile, languages: [] }),
  }
}

it('reads a stored profile once for all devices of a page, and again for the next', async () => {
  const { reads, of } = abilities()
  const [one, two] = await Promise.all([of('mine'), of('mine')])
  expect(one).toMatchObject({ profile: 'mine', proof: 'none', languages: ['vi'], maxAmount: '500000' })
  expect(two).toEqual(one)
  expect(reads).toEqual(['mine'])
  await of('mine')
  expect(reads).toEqual(['mine', 'mine'])
})

it('reads nothing for a profile that ships', async () => {
  const { reads, of } = abilities()
  for (const name of SHIPPED.keys()) expect(await of(name)).toMatchObject({ profile: name })
  expect(reads).toEqual([])
})

it.each([['gone'], [undefined]])('promises nothing for a box without a known profile: %s', async (name) => {
  expect(await abilities().of(name)).toMatchObject({
    ...{ profile: name, proof: 'none', identity: 'weak', pairing: 'label', languages: [], maxAmount: '0' },
  })
})

it('knows the profiles of each proof, those of the storage and our own speakers among them', async () => {
  const { profilesProving } = abilities()
  expect(await profilesProving('played')).toEqual(['sb/1', 'alink'])
  expect(await profilesProving('accepted')).toEqual(['hemipay'])
  expect(await profilesProving('none')).toEqual(
    expect.arrayContaining(['clip-numbers', 'morefun', 'openluat', 'ds50', 'mine', 'unreadable']),
  )
})
