import { describe, expect, it } from 'vitest'
import { guess, nearest } from '../../../protocol/text/nearest.ts'

const EVENTS = ['power', 'announce', 'played', 'paid', 'missed', 'connected', 'disconnected']

describe('a guess', () => {
  it.each([
    ['anounce', 'announce'],
    ['Announce', 'announce'],
    ['announced', 'announce'],
    ['playd', 'played'],
    ['conected', 'connected'],
    ['pwoer', 'power'],
    ['payd', 'paid'],
    ['applause', undefined],
    ['', undefined],
    ['p', undefined],
  ])('for %j is %j', (word, known) => {
    expect(guess(word, EVENTS)).toBe(known)
  })

  it('is nothing where nothing is known', () => {
    expect(guess('announce', [])).toBeUndefined()
  })
})

it('the nearest word is always one of the known', () => {
  expect(nearest('something else', EVENTS)).toBeDefined()
  expect(nearest('x', [])).toBeUndefined()
})
