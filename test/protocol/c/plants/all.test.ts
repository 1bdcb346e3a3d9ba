import { expect, it } from 'vitest'
import { PLANTS } from './all.ts'
import { rightText } from './build.ts'

it.each(PLANTS)('has its place in the source of the device in C: $name', (plant) => {
  expect(rightText(plant)).toContain(plant.text)
})
