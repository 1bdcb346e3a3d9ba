import { expect, it } from 'vitest'
import { readSources } from '../../support/structure/sources.ts'

/** The terms and the spelling of server/platform/language/words.ts, as what breaks them. */
const OTHERS = /sê-ri|điểm bán|[òóỏõọ][ae](?!\p{L})|(?<!q)[ùúủũụ]y(?!\p{L})/giu

it('texts in Vietnamese use one term and one spelling for each thing', () => {
  const found = readSources(['server', 'simulator']).flatMap(({ path, text }) =>
    [...text.matchAll(OTHERS)].map(([other]) => `${path}: ${other}`),
  )
  expect(found).toEqual([])
})
