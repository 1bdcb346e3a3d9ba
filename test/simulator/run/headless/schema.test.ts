import { describe, expect, it } from 'vitest'
import { toJson } from '../../../../protocol/generate/messages/json.ts'
import { fleetSchema } from '../../../../simulator/run/fleet/report/schema.ts'
import { boxLineSchema } from '../../../../simulator/run/headless/box-schema.ts'
import { headlessSchema } from '../../../../simulator/run/headless/schema.ts'
import {
  BOX_SCHEMA_TEXT,
  FLEET_SCHEMA_TEXT,
  headlessValidator,
  SCHEMA_TEXT,
} from '../../support/headless-validator.ts'

const validate = headlessValidator()

describe('the schema of headless lines', () => {
  it('equals the output of `npm run simulator:generate`', () => {
    expect(SCHEMA_TEXT).toBe(toJson(headlessSchema()))
    expect(BOX_SCHEMA_TEXT).toBe(toJson(boxLineSchema()))
    expect(FLEET_SCHEMA_TEXT).toBe(toJson(fleetSchema()))
  })

  it.each([
    { event: 'played', n: 1 },
    { event: 'played', at: '2026-11-20T03:00:00.000Z', n: 1 },
    { event: 'played', n: 1, later: 'fields may be added' },
    { event: 'packet', direction: 'out', packet: 'connect' },
    { event: 'refused', code: 5, reason: 'no' },
  ])('accepts %j', (line) => {
    expect(validate(line)).toBe(true)
  })

  it.each([
    { event: 'played' },
    { event: 'played', n: '1' },
    { event: 'sung', n: 1 },
    { event: 'played', at: 'yesterday', n: 1 },
    { event: 'fault', fault: 'broken-heart', on: true },
    { event: 'refused', code: 3, reason: 'no' },
    {},
  ])('refuses %j', (line) => {
    expect(validate(line)).toBe(false)
  })
})
